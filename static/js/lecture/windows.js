// Pages in two frames: one is seen, the other fetches the next. What a hand does is reported.

import { rooted } from "../address.js";
import { $, $$, make } from "../common.js";
import { say } from "../words.js";

const LATER = 1000; // ms; a class up to ten times that
const FRESH = 1500; // ms in which a change is a hand's

/** @type {LectureWindows} */
export const windows = (place, fields, report) => {
	let [seen, other] = [say("Scene"), say("Next")].map((title) => make("iframe", { title }));
	let [wanted, later, touched] = [/** @type {LectureState} */ ({}), 0, 0];
	const hot = () => Date.now() - touched < FRESH;
	place.append(seen, other);

	const framed = (address = "", own = /** @type {State} */ ({ ...fields, embed: "1" })) => {
		const { pathname, searchParams } = new URL(address, location.href);
		for (const name of ["embed", "present", "theme"]) searchParams.delete(name);
		for (const name in own) searchParams.set(name, own[name]);
		return `${pathname}?${searchParams}`;
	};
	const load = (to = "") => {
		if (other.dataset.shows !== to) other.contentWindow.location.replace(to);
		other.dataset.shows = to;
	};
	function show(to = "") {
		const { contentWindow: page, contentDocument: of, dataset } = seen;
		if (dataset.shows === to) return;
		const same = dataset.shows && to.startsWith(`${of?.location.pathname}?`);
		if (same && other.dataset.shows !== to) {
			dataset.shows = to;
			page.history.replaceState(null, "", to);
			page.dispatchEvent(new PopStateEvent("popstate"));
			return;
		}
		load(to);
		[seen, other] = [other, seen];
		seen.dataset.seen = "";
		delete other.dataset.seen;
	}

	const plotOf = (figure = "") =>
		$(`#${CSS.escape(figure)} .plot:has(.nsewdrag)`, seen.contentDocument);
	function zoom() {
		for (const [figure, ranges] of Object.entries(wanted.zoom)) {
			const plot = plotOf(figure);
			if (plot) seen.contentWindow.Plotly.relayout(plot, structuredClone(ranges));
		}
	}
	function point() {
		const { figure, panel = "", x, y } = wanted.pointer ?? {};
		const plot = figure && plotOf(figure);
		const { xaxis, yaxis } = plot?._fullLayout._plots[panel] ?? {};
		if (!xaxis) return;
		const { left, top } = plot.getBoundingClientRect();
		const clientX = left + xaxis._offset + xaxis.d2p(x);
		const clientY = top + yaxis._offset + yaxis.d2p(y);
		const moved = new MouseEvent("mousemove", { clientX, clientY });
		$(`[data-subplot="${panel}"].nsewdrag`, plot).dispatchEvent(moved);
	}

	/** @type {(plot: LecturePlot) => void} */
	function hear(plot) {
		if (plot.dataset.heard) return;
		plot.dataset.heard = "1";
		const figure = plot.closest(".figure").id;
		const own = (changes = {}) => {
			if (!hot()) return;
			wanted = { ...wanted, ...changes };
			report?.(changes);
		};
		plot.on("plotly_hover", ({ points: [{ xaxis, yaxis, x, y }] }) =>
			own({ pointer: { figure, panel: xaxis._id + yaxis._id, x, y } }),
		);
		plot.on("plotly_relayout", (changes) => {
			const ranges = { ...wanted.zoom[figure] };
			const zoomed = [...`${Object.keys(changes)}`.matchAll(/(\w+)\.(auto)?range/g)];
			for (const [, axis] of zoomed) ranges[`${axis}.range`] = [...plot._fullLayout[axis].range];
			if (zoomed[0]) own({ zoom: { ...wanted.zoom, [figure]: ranges } });
		});
	}

	/** @param {any} event */
	const touch = (event) => {
		const { isTrusted, key = "", target, view } = event;
		if (/^Page/.test(key) || (/^Arrow/.test(key) && target.matches("body, main"))) {
			event.stopImmediatePropagation();
			place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		} else if (isTrusted) {
			touched = Date.now();
			if (report) $$(".plot", view.document).map(hear);
		}
	};
	for (const frame of [seen, other])
		frame.onload = () => {
			const { contentWindow: page, contentDocument: of, dataset } = frame;
			if (!of?.body.dataset.page) return delete dataset.shows; // not ours
			of.documentElement.dataset.scene = "";
			for (const kind of ["pointermove", "pointerdown", "keydown"])
				page.addEventListener(kind, touch, true);
			of.addEventListener("statechange", () => {
				const shows = framed(page.location.href);
				if (frame !== seen || !hot() || shows === frame.dataset.shows) return;
				frame.dataset.shows = shows;
				report?.({ address: framed(page.location.href, {}).slice(rooted("").length) });
			});
			const drawn = { subtree: true, attributeFilter: ["data-interactive"] };
			new MutationObserver(zoom).observe(of.body, drawn);
		};

	return (state) => {
		// A page that has failed met no server.
		for (const { contentDocument: of, contentWindow: page, dataset } of [seen, other]) {
			if (!dataset.shows || of?.body?.dataset.state !== "failed") continue;
			of.body.dataset.state = "busy"; // once: loading again ends a load that is on its way
			page.location.replace(dataset.shows);
		}
		const { scene, zoom: before } = wanted;
		const { address, next } = state;
		if (scene === state.scene && hot()) return;
		wanted = state;
		if (address) show(framed(rooted(address)));
		if (JSON.stringify(before) !== JSON.stringify(state.zoom)) zoom();
		point();
		clearInterval(later);
		// Six connections a browser: what is seen goes first, and on the projector.
		if (next && ($("#qr") || !report))
			later = setInterval(
				() => seen.contentDocument?.body?.dataset.state === "busy" || load(framed(rooted(next))),
				LATER * (report ? 1 : 1 + 9 * Math.random()),
			);
	};
};

/** Votes before and after the figure. @type {LectureBars} */
export function bars(list, votes) {
	const most = Math.max(1, ...(votes ?? []).flat());
	$$(".bar", list).forEach((bar, i) => {
		bar.textContent = votes?.[i % 2][i >> 1] ?? "";
		bar.style.setProperty("--share", bar.textContent / most);
	});
}
