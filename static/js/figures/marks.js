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
