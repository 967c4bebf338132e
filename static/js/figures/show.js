// A figure on its stage: a still picture at once; what makes it live is fetched after it.

import { palette } from "../draw/palette.js";
import { arrange } from "./arrange.js";
import { decoded } from "./decode.js";
import { paint, placed } from "./still.js";

/** @typedef {import("./arrange.js").Figure} Figure */
/** @typedef {import("./arrange.js").Arranged} Arranged */
/** @typedef {Record<string, string>} State */
/** @typedef {(changes: State) => void} Pick what a click or Enter on a point asks for */
/**
 * @typedef {object} Living one figure on its stage
 * @property {HTMLElement} stage @property {Figure} served @property {Arranged} arranged @property {any[]} traces
 * @property {(place: {trace: number, at: number, row: number}) => void} [point] told of every point that is pointed at or walked to
 * @property {(place: {trace: number, at: number, row: number}) => void} [enter] told of a click and of Enter, besides `pick`
 * @property {Record<string, number | null>} [chosen] by axis, the place whose name is told in bold
 * @property {HTMLElement} [plot] @property {HTMLElement} [card] @property {() => void} [redraw] once it lives @property {Pick} pick
 * @property {string} look size and theme it is drawn in @property {boolean} [walking] whether the keys are walking it @property {string} [tapped] the point that was tapped last @property {{trace: number, at: number, row: number}} cursor
 */

/** @type {Map<HTMLElement, Living>} */
export const figures = new Map();

const pen = /** @type {CanvasRenderingContext2D} */ (
	document.createElement("canvas").getContext("2d")
);

/** @type {import("./arrange.js").Measure} */
export function measure(content, family, size) {
	pen.font = `${size}px ${family}`;
	return pen.measureText(content).width;
}

/** Where a cell of a figure's first heat map lies in its stage, as it is zoomed now. @param {HTMLElement} stage @param {number} row @param {number} column */
export function cellBox(stage, row, column) {
	const { plot, arranged } = /** @type {Living} */ (figures.get(stage));
	const {
		panels: [{ x, y, box }],
	} = arranged;
	const layout = /** @type {any} */ (plot)?._fullLayout ?? arranged.layout;
	const toX = placed(layout[x], box.x, box.x + box.width);
	const toY = placed(layout[y], box.y + box.height, box.y);
	const [left, right, top, bottom] = [
		toX(column - 0.5),
		toX(column + 0.5),
		toY(row - 0.5),
		toY(row + 0.5),
	];
	return { x: left, y: top, width: right - left, height: bottom - top, box };
}

/** Where a pointer is in the first panel of a figure, in the units of its axes, zoomed or not. @param {HTMLElement} stage @param {MouseEvent} event */
export function valueAt(stage, { clientX, clientY }) {
	const {
		arranged: {
			panels: [{ x, y, box }],
			layout,
		},
		plot,
	} = /** @type {Living} */ (figures.get(stage));
	const full = /** @type {any} */ (plot)?._fullLayout ?? layout;
	const { left, top } = stage.getBoundingClientRect();
	const at = (/** @type {[number, number]} */ [from, to], /** @type {number} */ share) =>
		from + (to - from) * share;
	return {
		x: at(full[x].range, (clientX - left - box.x) / box.width),
		y: at(full[y].range, 1 - (clientY - top - box.y) / box.height),
	};
}

/** Waits for a quiet moment after the first picture. */
const whenIdle = () =>
	new Promise((done) =>
		"requestIdleCallback" in globalThis
			? requestIdleCallback(() => done(undefined), { timeout: 1500 })
			: setTimeout(done, 300),
	);

/**
 * Shows a figure in a stage, or another in the place of the one that is there.
 * @param {HTMLElement} stage @param {Figure} served @param {Pick} pick @param {{point?: Living["point"], enter?: Living["enter"]}} [told] @param {number} [below] pixels at the bottom of the stage that are kept free
 */
export function show(stage, served, pick, told = {}, below = 0) {
	const size = { width: stage.clientWidth, height: stage.clientHeight - below };
	if (size.width < 40 || size.height < 40) return;
	const known = figures.get(stage);
	const { theme = "", presenter = "off" } = document.documentElement.dataset;
	const look = [size.width, size.height, theme, presenter].join(" ");
	if (known?.served === served && known.look === look)
		return void Object.assign(known, told, { pick }); // drawn already
	const colours = palette();
	const arranged = arrange(served, { size, colours, measure });
	const mine = known ?? { stage, cursor: { trace: 0, at: 0, row: 0 } };
	const living = /** @type {Living} */ (
		Object.assign(mine, told, { served, look, arranged, pick, traces: served.data.map(decoded) })
	);
	figures.set(stage, living);
	describe(living);
	if (living.redraw) return living.redraw();
	paint(canvasOf(stage), arranged, colours);
	if (!known)
		whenIdle()
			.then(() => import("./living.js"))
			.then(
				({ arrive }) => arrive(living),
				() => {},
			);
}

/** @param {HTMLElement} stage */
export function canvasOf(stage) {
	const present = stage.querySelector("canvas");
	if (present) return present;
	const canvas = document.createElement("canvas");
	stage.prepend(canvas);
	return canvas;
}

/** The stage is what keys walk in, and it says what it shows. @param {Living} living */
function describe({ stage, served }) {
	const { description = "", title = "" } = served.layout.meta ?? {};
	stage.tabIndex = 0;
	stage.setAttribute("role", "application");
	stage.setAttribute(
		"aria-roledescription",
		"figure; the arrow keys walk its points, Enter chooses",
	);
	stage.setAttribute("aria-label", description || title);
}
