// A picture whose cells can be pointed at, tapped and walked with the arrow keys; the cell's meaning is spoken.

import { announce } from "../status.js";

/** @typedef {{row: number, column: number}} Cell */
/**
 * @typedef {object} Walk
 * @property {number} rows @property {number} columns
 * @property {(row: number, column: number) => import("./heatmap.js").Box} box @property {(x: number, y: number) => Cell | null} at
 * @property {(cell: Cell) => string} say one sentence about a cell
 * @property {(cell: Cell | null) => void} [onPeek] under the pointer, or walked to; null when it leaves @property {(cell: Cell) => void} [onPick] clicked, tapped twice, or Enter
 */

/** @type {WeakMap<HTMLElement, {walk: Walk, cell: Cell | null, frame: HTMLElement}>} */
const walks = new WeakMap();

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Makes a canvas walkable, or tells a walkable one its new geometry; called at every drawing. @param {HTMLCanvasElement} canvas @param {Walk} walk */
export function walkable(canvas, walk) {
	const known = walks.get(canvas);
	if (known) {
		known.walk = walk;
		if (known.cell && document.activeElement === canvas) place(known, clamp(known.cell, walk));
		return;
	}
	const frame = Object.assign(document.createElement("div"), { className: "walk", hidden: true });
	canvas.after(frame);
	canvas.tabIndex = 0;
	canvas.setAttribute("role", "application");
	canvas.setAttribute(
		"aria-roledescription",
		"picture with cells; the arrow keys walk, Enter opens",
	);
	const mine = { walk, cell: /** @type {Cell | null} */ (null), frame };
	walks.set(canvas, mine);
	canvas.addEventListener(
		"pointermove",
		(event) =>
			event.pointerType !== "touch" && peek(mine, mine.walk.at(event.offsetX, event.offsetY)),
	);
	canvas.addEventListener(
		"pointerleave",
		(event) => event.pointerType !== "touch" && peek(mine, null),
	);
	canvas.addEventListener("click", (event) =>
		tap(
			mine,
			mine.walk.at(event.offsetX, event.offsetY),
			/** @type {PointerEvent} */ (event).pointerType === "touch",
		),
	);
	canvas.addEventListener(
		"focus",
		() => canvas.matches(":focus-visible") && step(mine, mine.cell ?? { row: 0, column: 0 }),
	);
	canvas.addEventListener("blur", () => (frame.hidden = true));
	canvas.addEventListener("keydown", (event) => key(mine, event));
}

/** @param {{walk: Walk, cell: Cell | null, frame: HTMLElement}} mine @param {KeyboardEvent} event */
function key(mine, event) {
	const by = STEPS[event.key];
	if (by && !event.altKey && !event.ctrlKey && !event.metaKey) {
		const from = mine.cell ?? { row: 0, column: 0 };
		step(mine, mine.frame.hidden ? from : { row: from.row + by[0], column: from.column + by[1] });
	} else if (event.key === "Enter" && mine.cell) mine.walk.onPick?.(mine.cell);
	else return;
	event.preventDefault();
}

/** @param {Cell} cell @param {Walk} walk */
const clamp = ({ row, column }, { rows, columns }) => ({
	row: Math.min(Math.max(row, 0), rows - 1),
	column: Math.min(Math.max(column, 0), columns - 1),
});

/** @param {{walk: Walk, cell: Cell | null, frame: HTMLElement}} mine @param {Cell} wanted */
function step(mine, wanted) {
	const cell = clamp(wanted, mine.walk);
	place(mine, cell);
	announce(mine.walk.say(cell));
	mine.walk.onPeek?.(cell);
}

/** @param {{walk: Walk, cell: Cell | null, frame: HTMLElement}} mine @param {Cell} cell */
function place(mine, cell) {
	mine.cell = cell;
	const { x, y, width, height } = mine.walk.box(cell.row, cell.column);
	Object.assign(mine.frame.style, {
		left: `${x}px`,
		top: `${y}px`,
		width: `${width}px`,
		height: `${height}px`,
	});
	mine.frame.hidden = false;
}

/** @param {{walk: Walk, cell: Cell | null, frame: HTMLElement}} mine @param {Cell | null} cell */
function peek(mine, cell) {
	if (mine.cell?.row === cell?.row && mine.cell?.column === cell?.column) return;
	mine.cell = cell;
	mine.walk.onPeek?.(cell);
}

/** On a touch screen the first tap shows and the second opens. @param {{walk: Walk, cell: Cell | null, frame: HTMLElement}} mine @param {Cell | null} cell @param {boolean} touch */
function tap(mine, cell, touch) {
	if (!cell) return;
	const again = mine.cell?.row === cell.row && mine.cell?.column === cell.column;
	if (touch && !again) step(mine, cell);
	else {
		mine.cell = cell;
		mine.walk.onPick?.(cell);
	}
}
