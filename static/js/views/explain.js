// The derivation panel: how one number came about, each number in it a step further back. The trail
// and the steps come as HTML, of trail.html and steps.html; the panel is explain.html of _partials.

import { apiAddress } from "../address.js";
import { $, $$, make, setHtml, within } from "../common.js";
import { tableElement } from "../draw/table-text.js";
import { significant } from "../draw/text.js";
import { member, read, same, upTo, write } from "./explain-trail.js";
import { say, told } from "../words.js";

export { write };

/** @param {number | null} value */
const spoken = (value) => (value === null ? "−∞" : significant(value));
/** @param {number | null} value */
const exact = (value) => (value === null ? say("−∞ (masked)") : String(value));

const IN_A_MAP = /\.(scores|masked_scores|pattern)$/;

/**
 * The trail in an address, when it starts at this number, or at one that no map shows; else a new
 * one from there.
 * @param {string | undefined} text @param {Entry} root
 */
export function rooted(text, root) {
	const trail = read(text);
	const [first] = trail;
	return first && (same(first, root) || !IN_A_MAP.test(first.name)) ? trail : [root];
}

/**
 * What the panel shows of a trail.
 * @param {Entry[]} trail @param {Ask} ask @param {State} input as for every question about a run
 * @returns {Promise<Derivation>}
 */
export const derive = async (trail, ask, input) => ({
	...(await ask("explain/trail", { ...input, trail: write(trail) })),
	trail,
	input,
});

/**
 * @param {HTMLElement} element
 * @param {{go: (trail: Entry[]) => void}} options `go`: shows a trail; none closes it
 */
export function panel(element, { go }) {
	const part = (name = "") => $(`[data-part="${name}"]`, element);
	/** @type {Derivation | null} */ let shown = null;

	element.onclick = (/** @type {any} */ { target }) => {
		const { to, back } = target.closest("[data-to], [data-back]")?.dataset ?? {};
		if (shown && back) go(upTo(shown.trail, Number(back)));
		else if (to) step(read(to)[0]);
	};
	part("up").onclick = () => shown && go(upTo(shown.trail, shown.trail.length - 2));
	part("table").onclick = () => {
		part("numbers").hidden = !part("numbers").hidden;
		part("table").ariaExpanded = String(!part("numbers").hidden);
		tables();
	};

	function tables() {
		const given = part("numbers").hidden ? [] : (shown?.tables ?? []);
		part("numbers").replaceChildren(...given.map(tableElement));
	}
	/** One step on; a number of the trail is gone back to. @param {Entry} place */
	function step(place) {
		if (!shown) return;
		const { trail } = shown;
		const at = trail.findIndex((known) => same(known, place));
		go(at < 0 ? [...trail, place] : upTo(trail, at));
	}
	/** @returns {HTMLElement[]} */
	const stops = () => $$(".strip, .equation button", element);

	/**
	 * Builds the panel for a trail; an answer that is shown stays, and the focus too.
	 * @param {Derivation} next
	 */
	function show(next) {
		if (next === shown) return;
		const focused = stops().indexOf(/** @type {HTMLElement} */ (document.activeElement));
		const moved = !shown || write(shown.trail) !== write(next.trail);
		shown = next;
		element.hidden = false;
		const { crumbs, html, kind, place, input } = next;
		setHtml(part("trail"), crumbs);
		setHtml(part("steps"), html);
		for (const strip of $$(".strip", element)) walk(strip);
		part("get").href = apiAddress("explain", { ...input, ...place });
		if (kind) part("badge").textContent = told((part("badge").dataset.kind = kind));
		tables();
		if (focused >= 0 && !moved) stops()[focused]?.focus();
	}

	/**
	 * The arrow keys and the pointer choose a bar, Enter and a click go on to it.
	 * @param {HTMLElement} strip
	 */
	function walk(strip) {
		const { values, names, name, index } = JSON.parse(strip.dataset.strip ?? "");
		const readout = $(".term", strip.parentElement ?? strip);
		let chosen = 0;
		const open = () => index && step(member({ name, index }, chosen));
		const move = (to = 0) => {
			chosen = within(0, values.length - 1, to);
			const [value, what] = [values[chosen], names?.[chosen] ?? chosen];
			$(".chosen", strip).setAttribute("x", chosen);
			strip.ariaValueNow = String(chosen);
			strip.ariaValueText = `${what}: ${spoken(value)}`;
			const of = make("span", { className: "soft small" }, `[${what}]`);
			const said = make("b", { className: "number", title: exact(value) }, spoken(value));
			readout.replaceChildren(of, said);
		};
		const at = (/** @type {MouseEvent} */ { clientX }) => {
			const { left, width } = $("svg", strip).getBoundingClientRect();
			return Math.floor(((clientX - left) / width) * values.length);
		};
		strip.onpointermove = (event) => event.pointerType === "mouse" && move(at(event));
		strip.onclick = (event) => {
			const again = at(event) === chosen; // on a touch screen the first tap shows and the second opens
			move(at(event));
			if (event.pointerType === "mouse" || again) open();
		};
		strip.onkeydown = (event) => {
			const to = { Home: 0, End: Infinity }[event.key];
			const along = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key];
			const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (to !== undefined || along) move(to ?? chosen + Number(along));
			else if (event.key === "Enter") open();
			else if (by) stops()[stops().indexOf(strip) + by]?.focus();
			else return;
			event.preventDefault();
		};
		if (index) readout.onclick = open;
		move(Number(strip.dataset.chosen));
	}

	return {
		show,
		hide: () => {
			element.hidden = true;
			shown = null;
		},
		focus: () => (stops()[0] ?? part("up")).focus(),
	};
}
