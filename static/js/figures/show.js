// A figure on its stage: a still picture at once; what makes it live is fetched after it.

import { palette } from "../draw/palette.js";
import { arrange } from "./arrange.js";
import { decoded } from "./traces.js";
import { canvasOf, measure, paint, placed } from "./placeholder.js";
import { say } from "../words.js";

/** @type {Map<HTMLElement, Staged>} */
export const figures = new Map();

/** The first panel of a figure, and its axes as they are zoomed now. @param {HTMLElement} stage */
function firstPanel(stage) {
	const { plot, arranged } = /** @type {Staged} */ (figures.get(stage));
	const [{ x, y, box }] = arranged.panels;
	const layout = plot?._fullLayout ?? arranged.layout;
	return { box, level: layout[x], upright: layout[y] };
}

/**
 * Where a cell of a figure's first heat map lies in its stage, as it is zoomed now.
 * @param {HTMLElement} stage @param {number} row @param {number} column
 */
export function cellBox(stage, row, column) {
	const { box, level, upright } = firstPanel(stage);
	const toX = placed(level, box.x, box.x + box.width);
	const toY = placed(upright, box.y + box.height, box.y);
	const [x, y] = [toX(column - 0.5), toY(row - 0.5)];
	return { x, y, width: toX(column + 0.5) - x, height: toY(row + 0.5) - y };
}

/**
 * Where a pointer is in the first panel of a figure, in the units of its axes, zoomed or not.
 * @param {HTMLElement} stage @param {MouseEvent} event
 */
export function valueAt(stage, { clientX, clientY }) {
	const { box, level, upright } = firstPanel(stage);
	const { left, top } = stage.getBoundingClientRect();
	const at = (/** @type {Axis} */ { range: [from, to] }, share = 0) => from + (to - from) * share;
	return {
		x: at(level, (clientX - left - box.x) / box.width),
		y: at(upright, 1 - (clientY - top - box.y) / box.height),
	};
}

const whenIdle = () =>
	new Promise((done) =>
		"requestIdleCallback" in globalThis
			? requestIdleCallback(done, { timeout: 1500 })
			: setTimeout(done, 300),
	);

/** Shows a figure in a stage, or another in the place of the one that is there. @type {Show} */
export function show(stage, served, pick, told = {}, below = 0) {
	const { tall } = served.layout.meta;
	stage.style.minHeight = tall ? `${tall}rem` : "";
	const size = { width: stage.clientWidth, height: stage.clientHeight - below };
	if (size.width < 40 || size.height < 40) return;
	const known = figures.get(stage);
	const { theme = "", presenter = "off" } = document.documentElement.dataset;
	const look = [size.width, size.height, theme, presenter].join(" ");
	const mine = Object.assign(known ?? { stage, cursor: { trace: 0, at: 0, row: 0 } }, told, {
		pick,
	});
	if (known?.served === served && known.look === look) return; // drawn already
	const colours = palette();
	const arranged = arrange(served, { size, colours, measure });
	const traces = served.data.map(decoded);
	const figure = /** @type {Staged} */ (Object.assign(mine, { served, look, arranged, traces }));
	figures.set(stage, figure);
	describe(figure);
	if (figure.redraw) return figure.redraw();
	paint(canvasOf(stage), arranged, colours);
	if (!known)
		whenIdle()
			.then(() => import("./interactive.js"))
			.then(({ hydrate }) => hydrate(figure))
			.catch(() => {}); // the still picture stays
}

/** The stage is what keys walk in, and it says what it shows. @param {Staged} figure */
function describe({ stage, served }) {
	const { description = "", title = "" } = served.layout.meta;
	stage.tabIndex = 0;
	stage.role = "application";
	stage.ariaRoleDescription = say(
		"figure; use the arrow keys to move between points and Enter to choose",
	);
	stage.ariaLabel = description || title;
}
