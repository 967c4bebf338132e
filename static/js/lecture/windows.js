// Pages in two frames: one is seen, the other fetches what comes next. What a hand does in the seen
// one is reported, and what is done elsewhere is shown in it.

import { rooted } from "../address.js";
import { $, $$, make } from "../common.js";

const LATER = 1000; // ms until the next page is fetched
const FRESH = 1500; // ms in which a change is the doing of a hand

/** @type {LectureWindows} */
export const windows = (place, fields, report) => {
	let [seen, other] = ["The scene", "The next scene"].map((title) => make("iframe", { title }));
	let [wanted, later, touched] = [/** @type {LectureState} */ ({}), 0, 0];
	const hot = () => Date.now() - touched < FRESH;
	place.append(seen, other);

	const framed = (address = "", own = fields) => {
		const { pathname, searchParams } = new URL(address, location.href);
		for (const name of ["embed", "present", "theme"]) searchParams.delete(name);
		for (const name in own) searchParams.set(name, own[name]);
		return `${pathname}?${searchParams}`;
	};
	const load = (frame = seen, address = "") => {
		if (frame.dataset.shows !== address) frame.contentWindow.location.replace(address);
		frame.dataset.shows = address;
	};
	const plotOf = (figure = "") =>
		$(`#${CSS.escape(figure)} .plot:has(.nsewdrag)`, seen.contentDocument);

	function show(to = "") {
		const { contentWindow: page, dataset } = seen;
		if (dataset.shows === to) return;
		if (other.dataset.shows !== to && page.location.pathname === to.split("?")[0]) {
			dataset.shows = to;
			page.history.replaceState(null, "", to);
			page.dispatchEvent(new PopStateEvent("popstate"));
			return;
		}
		load(other, to);
		[seen, other] = [other, seen];
		seen.dataset.seen = "";
		delete other.dataset.seen;
	}

	/** The zoom and the pointer of another hand. */
	function apply() {
		for (const [figure, axes] of Object.entries(wanted.zoom)) {
			const plot = plotOf(figure);
			const ranges = Object.entries(axes)
				.filter(([axis, range]) => `${plot?._fullLayout[axis]?.range}` !== `${range}`)
				.map(([axis, range]) => [`${axis}.range`, [...range]]);
			if (plot && ranges[0]) seen.contentWindow.Plotly.relayout(plot, Object.fromEntries(ranges));
		}
		const { figure, panel = "", x, y } = wanted.pointer ?? {};
		const plot = figure && plotOf(figure);
		const { xaxis, yaxis } = plot?._fullLayout._plots[panel] ?? {};
		if (!xaxis) return;
		const { left, top } = plot.getBoundingClientRect();
		const [clientX, clientY] = [
			left + xaxis._offset + xaxis.d2p(x),
			top + yaxis._offset + yaxis.d2p(y),
		];
		const moved = new MouseEvent("mousemove", { clientX, clientY, bubbles: true });
		$(`[data-subplot="${panel}"].nsewdrag`, plot).dispatchEvent(moved);
	}

	/** @type {(plot: LecturePlot) => void} */
	function hear(plot) {
		if (plot.dataset.heard) return;
		plot.dataset.heard = "1";
		const figure = /** @type {Element} */ (plot.closest(".figure")).id;
		/** @type {(changes: Partial<LectureState>) => void} */
		const own = (changes) => {
			if (!hot()) return;
			wanted = { ...wanted, ...changes };
			report?.(changes);
		};
		plot.on("plotly_hover", ({ points: [{ xaxis, yaxis, x, y }] }) =>
			own({ pointer: { figure, panel: xaxis._id + yaxis._id, x, y } }),
		);
		plot.on("plotly_relayout", (changes) => {
			const axes = /** @type {any} */ ({ ...wanted.zoom[figure] });
			const zoomed = Object.keys(changes).filter((name) => /range/.test(name));
			for (const name of zoomed) {
				const [axis] = name.split(".");
				axes[axis] = [...plot._fullLayout[axis].range];
			}
			if (zoomed[0]) own({ zoom: { ...wanted.zoom, [figure]: axes } });
		});
	}

	for (const frame of [seen, other])
		frame.onload = () => {
			const { contentWindow: page, contentDocument: document } = frame;
			document.documentElement.dataset.scene = "";
			/** @param {any} event */
			const touch = (event) => {
				const { isTrusted, key = "", target } = event;
				if (/^Page/.test(key) || (/^Arrow/.test(key) && target === document.body)) {
					event.stopImmediatePropagation();
					place.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
				} else if (isTrusted) {
					touched = Date.now();
					if (report) $$(".plot", document).map(hear);
				}
			};
			for (const kind of ["pointermove", "pointerdown", "keydown"])
				page.addEventListener(kind, touch, { capture: true });
			document.addEventListener("statechange", () => {
				const shows = framed(page.location.href);
				if (frame !== seen || !hot() || shows === frame.dataset.shows) return;
				frame.dataset.shows = shows;
				report?.({ address: framed(page.location.href, {}).slice(rooted("").length) });
			});
			new MutationObserver(apply).observe(document.body, {
				subtree: true,
				attributeFilter: ["data-interactive"],
			});
		};

	return (state) => {
		const { scene, pointer, zoom } = wanted;
		if (scene === state.scene && hot()) return;
		wanted = { ...state };
		if (!state.address) return;
		show(framed(rooted(state.address)));
		if (JSON.stringify([pointer, zoom]) !== JSON.stringify([state.pointer, state.zoom])) apply();
		clearTimeout(later);
		const { next } = state;
		if (next) later = setTimeout(() => load(other, framed(rooted(next))), LATER);
	};
};

/**
 * Bars of votes behind each choice: of those before the figure was seen, and of those after.
 * @param {Element} list @param {number[][]} votes
 */
export function bars(list, votes) {
	const most = Math.max(1, ...votes.flat());
	$$("li", list).forEach((row, i) => {
		$$(".bar", row).forEach((bar) => bar.remove());
		for (const round of votes) {
			const bar = make("span", { className: "bar", textContent: round[i] });
			bar.style.setProperty("--share", `${round[i] / most}`);
			row.append(bar);
		}
	});
}
