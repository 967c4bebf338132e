// Pages of the house in frames: one is seen, the other fetches what comes next. What is chosen,
// pointed at or zoomed in the seen one is told, and what is told elsewhere is shown in it.

import { rooted } from "../address.js";
import { $, $$, make } from "../common.js";

const OF_FRAMES = ["embed", "present", "theme"];
const LATER = 1000; // ms after which the next page is fetched
const FRESH = 1500; // ms after a touch of a hand in which a change is its doing

/** @param {URL} url @param {State} [fields] */
function withOnly(url, fields = {}) {
	for (const name of OF_FRAMES) url.searchParams.delete(name);
	for (const name in fields) url.searchParams.set(name, fields[name]);
	return url.pathname + url.search;
}

/** @param {HTMLElement} place @param {State} fields @param {(changes: Open) => void} [tell] */
export function windows(place, fields, tell) {
	/** @type {any[]} */
	let [seen, other] = ["The scene", "The next scene"].map((title) => make("iframe", { title }));
	/** @type {Open} */ let wanted = {};
	/** @type {Timer} */ let later;
	let touched = 0;
	place.append(seen, other);

	const load = (/** @type {any} */ frame, /** @type {string} */ address) => {
		if (frame.dataset.shows === address) return;
		frame.dataset.shows = address;
		frame.contentWindow.location.replace(address);
	};
	const framed = (/** @type {string} */ address) =>
		withOnly(new URL(rooted(address), location.href), fields);

	/** @param {string} address */
	function show(address) {
		const [to, { contentWindow: page, dataset }] = [framed(address), seen];
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

	/** @param {string} figure */
	const plotOf = (figure) => $(`#${CSS.escape(figure)} .plot`, seen.contentDocument);

	function point() {
		const { figure, panel, x, y } = wanted.pointer ?? {};
		const plot = figure && plotOf(figure);
		const axes = plot?._fullLayout?._plots[panel];
		if (!axes) return;
		const { left, top } = plot.getBoundingClientRect();
		const at = (/** @type {any} */ axis, /** @type {any} */ value) =>
			axis._offset + axis.d2p(value);
		const where = { clientX: left + at(axes.xaxis, x), clientY: top + at(axes.yaxis, y) };
		$(`[data-subplot="${panel}"].nsewdrag`, plot)?.dispatchEvent(
			new MouseEvent("mousemove", { ...where, bubbles: true }),
		);
	}

	function zoom() {
		for (const [figure, axes] of Object.entries(wanted.zoom ?? {})) {
			const plot = plotOf(figure);
			const changes = Object.entries(axes).filter(
				([axis, range]) => String(plot?._fullLayout?.[axis]?.range) !== String(range),
			);
			if (!plot?._fullLayout || !changes.length) continue;
			const ranges = changes.map(([axis, range]) => [`${axis}.range`, [...range]]);
			seen.contentWindow.Plotly.relayout(plot, Object.fromEntries(ranges));
		}
	}

	/** What a hand does in a figure is told. @param {any} plot */
	function hear(plot) {
		if (plot.dataset.heard) return;
		plot.dataset.heard = "1";
		const figure = plot.closest(".figure").id;
		const told = (/** @type {Open} */ changes) => {
			if (Date.now() - touched > FRESH) return;
			wanted = { ...wanted, ...changes };
			tell?.(changes);
		};
		plot.on("plotly_hover", (/** @type {any} */ { points: [{ xaxis, yaxis, x, y }] }) =>
			told({ pointer: { figure, panel: xaxis._id + yaxis._id, x, y } }),
		);
		plot.on("plotly_relayout", (/** @type {Open} */ changes) => {
			const names = Object.keys(changes).filter((name) => /range/.test(name));
			const axes = [...new Set(names.map((name) => name.split(".")[0]))];
			if (!axes.length) return;
			const ranges = axes.map((axis) => [axis, [...plot._fullLayout[axis].range]]);
			const zoomed = { ...wanted.zoom?.[figure], ...Object.fromEntries(ranges) };
			told({ zoom: { ...wanted.zoom, [figure]: zoomed } });
		});
	}

	/** @param {any} frame */
	function listen(frame) {
		const { contentWindow: page, contentDocument: document } = frame;
		document.documentElement.dataset.scene = "";
		const touch = (/** @type {Event} */ { isTrusted }) => {
			if (isTrusted) touched = Date.now();
			for (const plot of tell && isTrusted ? $$(".plot", document) : []) hear(plot);
		};
		for (const kind of ["pointermove", "pointerdown", "keydown", "input"])
			page.addEventListener(kind, touch, { capture: true, passive: true });
		page.addEventListener(
			"keydown",
			(/** @type {any} */ event) => {
				const walks =
					event.key.startsWith("Arrow") && event.target.matches(".stage, :is(input, select)");
				if (!walks)
					place.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true }));
				if (/^Page/.test(event.key)) event.stopImmediatePropagation();
			},
			{ capture: true },
		);
		document.addEventListener("statechange", () => {
			if (frame !== seen || Date.now() - touched > FRESH || !tell) return;
			const shows = withOnly(new URL(page.location.href), fields);
			if (shows === frame.dataset.shows) return;
			frame.dataset.shows = shows;
			tell({ address: withOnly(new URL(page.location.href)).slice(rooted("").length) });
		});
		new MutationObserver(apply).observe(document.body, {
			subtree: true,
			attributeFilter: ["data-interactive"],
		});
	}
	for (const frame of [seen, other]) frame.onload = () => listen(frame);

	function apply() {
		zoom();
		point();
	}

	return {
		/** Shows what is told. @param {Open} state */
		follow(state) {
			const same = ["pointer", "zoom", "address"].every((name) => JSON.stringify(state[name]) === JSON.stringify(wanted[name]));
			wanted = state;
			if (!state.address) return;
			show(state.address);
			if (!same) apply();
			clearTimeout(later);
			if (state.next) later = setTimeout(() => load(other, framed(state.next)), LATER);
		},
	};
}
