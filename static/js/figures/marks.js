// What is chosen in a figure that is there: shapes over it, names that are always told, other
// numbers.

import { palette } from "../draw/palette.js";
import { axesOf, lined } from "./arrange.js";
import { ticks } from "./axis.js";
import { figures } from "./show.js";
import { canvasOf, paint } from "./placeholder.js";

/** Marks a figure in the place of what was marked before. @type {MarkFigure} */
export function mark(stage, shapes, chosen = {}) {
	const figure = figures.get(stage);
	if (!figure) return;
	const { arranged, plot } = figure;
	const { layout } = arranged;
	const colours = palette();
	figure.chosen = chosen;
	arranged.bare ??= layout.shapes;
	layout.shapes = [...arranged.bare, ...shapes.map((shape) => lined(shape, colours))];
	const changes = /** @type {Open} */ ({ shapes: layout.shapes });
	for (const { key, length, room, axis } of axesOf(figure)) {
		if (chosen[key] === undefined) continue;
		const { range } = figure.redraw ? plot?._fullLayout[key] : layout[key];
		const said = ticks(axis, range, length, room, chosen[key]);
		Object.assign(layout[key], said);
		for (const [name, value] of Object.entries(said)) changes[`${key}.${name}`] = value;
	}
	if (figure.redraw) Plotly.relayout(plot, changes);
	else paint(canvasOf(stage), arranged, colours);
}

/** A frame over cells, in the units of the axes. @type {Boxed} */
export const boxed = (name, width, x0, y0, wide = 1, high = 1) => ({
	...{ type: "rect", layer: "above", name, line: { width } },
	...{ xref: "x", x0, x1: x0 + wide, yref: "y", y0, y1: y0 + high },
});

/**
 * Other numbers in a trace of a figure that is there.
 * @param {HTMLElement} stage @param {number} number of the trace @param {Open} changes
 */
export function renumber(stage, number, changes) {
	const figure = figures.get(stage);
	if (!figure) return;
	const { arranged, plot, traces } = figure;
	Object.assign(traces[number], changes);
	Object.assign(arranged.data[number], changes);
	if (!figure.redraw) return paint(canvasOf(stage), arranged, palette());
	const each = Object.entries(changes).map(([name, value]) => [name, [value]]);
	Plotly.restyle(plot, Object.fromEntries(each), [number]);
}
