// The tree of a beam search. The arrow keys walk it, and Enter or a click goes to a step.

import { $, $$, isChord, STEPS } from "../common.js";
import { put, size } from "../drawing.js";
import { describe } from "../foot.js";

/** Where it is drawn. @param {HTMLElement} figure @returns {HTMLElement} */
const placeOf = (figure) => $(".scroller", figure);

/**
 * Its size in em; it is measured also where another figure stands in its place.
 * @param {HTMLElement} figure
 */
export function sizeOf(figure) {
	const { hidden } = figure;
	figure.hidden = false;
	const there = size(placeOf(figure));
	figure.hidden = hidden;
	return there;
}

/**
 * @param {HTMLElement} figure @param {SearchTree} what
 * @param {(step: number) => void} go told of the step of a text that is clicked
 * @param {(said: string) => void} readout told of the text that is pointed at, and of the best
 * @param {() => void} refresh asks again: there is more room, or less
 */
export function showTree(figure, { answer, index, call, asked }, go, readout, refresh) {
	const [place, stage] = [placeOf(figure), $(".stage", figure)];
	const { width, height } = size(place);
	if (width !== asked.width || height !== asked.height) refresh();
	const last = $(":focus", place)?.dataset;
	const tree = put(place, answer.svg);
	const texts = (/** @type {number} */ step) => $$(`[data-step="${step}"]`, tree);
	const said = (/** @type {Element} */ text) => text.getAttribute("aria-label") ?? "";
	const textOf = (/** @type {Event} */ { target }) =>
		/** @type {SVGElement | null} */ (/** @type {Element} */ (target).closest("[data-step]"));
	const best = texts(index + 1)[0];
	let shown = best;

	/** @param {Event} event */
	function peek(event) {
		shown = textOf(event) ?? best;
		readout(said(shown));
	}

	/** On a touch screen the first tap shows and the second opens. @param {any} event */
	function pick(event) {
		const text = textOf(event);
		if (!text) return;
		const again = text === shown || event.pointerType !== "touch";
		peek(event);
		if (again) go(Number(text.dataset.step) - 1);
	}

	/** @param {number} row @param {number} step */
	const walk = (row, step) =>
		texts(step)
			.slice(0, Math.max(row, 0) + 1)
			.at(-1)
			?.focus();

	for (const name of ["pointerover", "pointerleave", "focusin"])
		tree.addEventListener(name, (/** @type {any} */ event) => {
			if (event.pointerType !== "touch") peek(event);
		});
	tree.onclick = pick;
	tree.onkeydown = (event) => {
		const [text, by] = [textOf(event), STEPS[event.key]];
		if (!text || isChord(event)) return;
		const { row, step } = text.dataset;
		if (by) walk(Number(row) + by[0], Number(step) + by[1]);
		else if (event.key === "Enter") go(Number(step) - 1);
		else return;
		event.preventDefault();
	};
	best.tabIndex = 0;
	const [frame, column] = [place, best].map((one) => one.getBoundingClientRect());
	place.scrollLeft += column.left - frame.left - frame.width / 2;
	readout(said(best));
	if (last?.step) walk(Number(last.row), Number(last.step));
	describe(figure, stage, {
		drawn: ["generate/drawing", asked],
		table: answer.table,
		call,
		answer,
		shape: answer.considered,
	});
}
