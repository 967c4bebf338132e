// A place to draw an image: with the pointer, with a finger, or with the keys. The markup is
// templates/_partials/pad.html.

import { inked, paintInk, withPixel } from "./draw/ink.js";
import { palette } from "./draw/palette.js";
import { announce } from "./status.js";

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Makes an element of class `pad` drawable.
 * @param {HTMLElement} element
 * @param {(values: number[][], begins: boolean) => void} onDraw `begins` at the first of a stroke
 * @returns {(values: number[][]) => void} shows an image
 */
export function pad(element, onDraw) {
	const canvas = /** @type {HTMLCanvasElement} */ (element.querySelector("canvas"));
	const frame = /** @type {HTMLElement} */ (element.querySelector(".walk"));
	canvas.tabIndex = 0;

	/** @type {number[][]} */ let shown = [];
	let grey = 1;
	let here = { row: 0, column: 0 }; // where the keys are
	/** @type {{x: number, y: number} | null} where the pen was */ let from = null;

	const say = () =>
		`row ${here.row + 1}, column ${here.column + 1}: ink ${shown[here.row][here.column]}`;

	/** @param {number} row @param {number} column */
	function walk(row, column) {
		const inside = (/** @type {number} */ at) => Math.max(0, Math.min(shown.length - 1, at));
		here = { row: inside(row), column: inside(column) };
		for (const [name, at] of Object.entries(here)) frame.style.setProperty(`--${name}`, `${at}`);
		frame.hidden = false;
		announce(`${say()}. Space inks.`);
	}

	/** From where the pen was to where it is, in pixels of the image. @param {PointerEvent} event */
	function stroke({ offsetX, offsetY, type }) {
		const scale = shown.length / canvas.clientWidth;
		const to = { x: offsetX * scale, y: offsetY * scale };
		onDraw(inked(shown, from ?? to, to, grey), type === "pointerdown");
		from = to;
	}

	canvas.addEventListener("pointerdown", (event) => {
		if (event.button !== 0) return;
		canvas.setPointerCapture(event.pointerId);
		stroke(event);
	});
	canvas.addEventListener("pointermove", (event) => from && stroke(event));
	for (const end of ["pointerup", "pointercancel"])
		canvas.addEventListener(end, () => (from = null));
	canvas.addEventListener("focus", () => {
		if (canvas.matches(":focus-visible")) walk(here.row, here.column);
	});
	canvas.addEventListener("blur", () => (frame.hidden = true));
	canvas.addEventListener("keydown", (event) => {
		const [down, right] = STEPS[event.key] ?? [];
		if (event.altKey || event.ctrlKey || event.metaKey) return;
		if (down !== undefined) walk(here.row + down, here.column + right);
		else if (event.key === " " || event.key === "Enter") {
			onDraw(withPixel(shown, here, grey), true);
			announce(say());
		} else return;
		event.preventDefault();
	});

	const inks = /** @type {HTMLElement[]} */ ([...element.querySelectorAll("[data-grey]")]);
	for (const ink of inks) {
		ink.addEventListener("click", () => {
			grey = Number(ink.dataset.grey);
			for (const other of inks) other.setAttribute("aria-pressed", String(other === ink));
		});
	}
	return (values) => {
		shown = values;
		paintInk(canvas, values, palette());
	};
}
