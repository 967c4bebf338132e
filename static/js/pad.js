// A place to draw an image: with the pointer, with a finger, or with the keys. The markup is
// templates/_partials/pad.html.

import { $, $$, isChord, STEPS, within } from "./common.js";
import { inked, paintInk, withPixel } from "./draw/ink.js";
import { palette } from "./draw/palette.js";
import { announce } from "./status.js";
import { say } from "./words.js";

/**
 * Makes an element of class `pad` drawable.
 * @param {HTMLElement} element
 * @param {(values: number[][], begins: boolean) => void} onDraw `begins` at the first of a stroke
 * @returns {(values: number[][]) => void} shows an image
 */
export function pad(element, onDraw) {
	/** @type {HTMLCanvasElement} */
	const canvas = $("canvas", element);
	const frame = $(".walk", element);
	canvas.tabIndex = 0;

	/** @type {number[][]} */ let shown = [];
	let grey = 1;
	let here = { row: 0, column: 0 }; // where the keys are
	/** @type {{x: number, y: number} | null} where the pen was */ let from = null;

	const told = () =>
		say("row {row}, column {column}: ink {ink}", {
			row: here.row + 1,
			column: here.column + 1,
			ink: shown[here.row][here.column],
		});

	/** @param {number} row @param {number} column */
	function walk(row, column) {
		const inside = (/** @type {number} */ at) => within(0, shown.length - 1, at);
		here = { row: inside(row), column: inside(column) };
		for (const [name, at] of Object.entries(here)) frame.style.setProperty(`--${name}`, `${at}`);
		frame.hidden = false;
		announce(`${told()}. ${say("Press Space to draw.")}`);
	}

	/** From where the pen was to where it is, in pixels of the image. @param {PointerEvent} event */
	function stroke({ offsetX, offsetY, type }) {
		const scale = shown.length / canvas.clientWidth;
		const to = { x: offsetX * scale, y: offsetY * scale };
		onDraw(inked(shown, from ?? to, to, grey), type === "pointerdown");
		from = to;
	}

	canvas.onpointerdown = (event) => {
		if (event.button !== 0) return;
		canvas.setPointerCapture(event.pointerId);
		stroke(event);
	};
	canvas.onpointermove = (event) => from && stroke(event);
	canvas.onpointerup = canvas.onpointercancel = () => (from = null);
	canvas.onfocus = () => canvas.matches(":focus-visible") && walk(here.row, here.column);
	canvas.onblur = () => (frame.hidden = true);
	canvas.onkeydown = (event) => {
		const [down, right] = STEPS[event.key] ?? [];
		if (isChord(event)) return;
		if (down !== undefined) walk(here.row + down, here.column + right);
		else if (event.key === " " || event.key === "Enter") {
			onDraw(withPixel(shown, here, grey), true);
			announce(told());
		} else return;
		event.preventDefault();
	};

	const inks = $$("[data-grey]", element);
	for (const ink of inks)
		ink.onclick = () => {
			grey = Number(ink.dataset.grey);
			for (const other of inks) other.ariaPressed = String(other === ink);
		};
	return (values) => {
		shown = values;
		paintInk(canvas, values, palette());
	};
}
