// A place to draw an image: with the pointer, with a finger, or with the keys. The markup is
// templates/_partials/pad.html.

import { paintInk } from "./draw/ink.js";
import { palette } from "./draw/palette.js";
import { inked, withPixel } from "./draw/pen.js";
import { announce } from "./status.js";

/** @typedef {number[][]} Values */
/** @typedef {{row: number, column: number}} Pixel */
/**
 * @typedef {object} Drawn
 * @property {(values: Values, begins: boolean) => void} onDraw `begins` at the first of a stroke
 * @property {() => void} onUndo
 * @property {() => void} onClear
 */

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Makes an element of class `pad` drawable.
 * @param {HTMLElement} element @param {Drawn} actions
 * @returns {(values: Values, patch: number) => void} shows an image, in patches of so many pixels
 */
export function pad(element, { onDraw, onUndo, onClear }) {
	const canvas = /** @type {HTMLCanvasElement} */ (element.querySelector("canvas"));
	const paper = /** @type {HTMLElement} */ (canvas.parentElement);
	const frame = Object.assign(document.createElement("div"), { className: "walk", hidden: true });
	canvas.after(frame);
	canvas.tabIndex = 0;
	canvas.setAttribute("role", "application");
	canvas.setAttribute("aria-roledescription", "drawing; arrow keys walk, Space inks");
	canvas.setAttribute("aria-label", "The image, to be drawn on");

	/** @type {Values} */ let shown = [];
	let patched = 1;
	let grey = 1;
	/** @type {Pixel} where the keys are */ let here = { row: 0, column: 0 };
	/** @type {{x: number, y: number} | null} where the pen was */ let from = null;

	/** A pointer's place in pixels of the image. @param {PointerEvent} event */
	const place = ({ offsetX: x, offsetY: y }) => {
		const scale = shown.length / paper.clientWidth;
		return { x: x * scale, y: y * scale };
	};
	const say = () =>
		`row ${here.row + 1}, column ${here.column + 1}: ink ${shown[here.row][here.column]}`;

	/** @param {number} row @param {number} column */
	function walk(row, column) {
		const inside = (/** @type {number} */ at) => Math.max(0, Math.min(shown.length - 1, at));
		here = { row: inside(row), column: inside(column) };
		mark();
		announce(`${say()}. Space inks.`);
	}

	/** The frame of the pixel that the keys are at. */
	function mark() {
		const side = paper.clientWidth / shown.length;
		const [left, top, size] = [here.column * side, here.row * side, side].map((at) => `${at}px`);
		Object.assign(frame.style, { left, top, width: size, height: size });
		frame.hidden = false;
	}

	canvas.addEventListener("pointerdown", (event) => {
		if (event.button !== 0) return;
		canvas.setPointerCapture(event.pointerId);
		from = place(event);
		onDraw(inked(shown, from, from, grey), true);
	});
	canvas.addEventListener("pointermove", (event) => {
		if (!from) return;
		const to = place(event);
		onDraw(inked(shown, from, to, grey), false);
		from = to;
	});
	for (const end of ["pointerup", "pointercancel"]) {
		canvas.addEventListener(end, () => (from = null));
	}
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
	element.querySelector("[data-pad=undo]")?.addEventListener("click", onUndo);
	element.querySelector("[data-pad=clear]")?.addEventListener("click", onClear);

	/** @param {Values} values @param {number} patch */
	function show(values, patch) {
		[shown, patched] = [values, patch];
		if (!paper.clientWidth) return;
		paint(canvas, values, patched, paper.clientWidth);
		if (!frame.hidden) mark();
	}
	new ResizeObserver(() => shown.length && show(shown, patched)).observe(paper);
	return show;
}

/**
 * The image and the lines between its pixels, dark between patches.
 * @param {HTMLCanvasElement} canvas @param {Values} values
 * @param {number} patch @param {number} side
 */
function paint(canvas, values, patch, side) {
	const colours = palette();
	const small = document.createElement("canvas");
	paintInk(small, values, colours);
	const ratio = devicePixelRatio || 1;
	canvas.width = canvas.height = Math.round(side * ratio);
	canvas.style.width = canvas.style.height = `${side}px`;
	const ink = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
	ink.scale(ratio, ratio);
	ink.imageSmoothingEnabled = false;
	ink.drawImage(small, 0, 0, side, side);
	for (let i = 0; i <= values.length; i += 1) {
		const at = Math.min(side - 1, Math.round((i * side) / values.length));
		ink.fillStyle = i % patch ? colours.rule : colours.ruleStrong;
		ink.fillRect(at, 0, 1, side);
		ink.fillRect(0, at, side, 1);
	}
}
