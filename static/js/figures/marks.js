// What is chosen in a figure that is there: shapes over it, names that are always told, other
// numbers.

import { palette } from "../draw/palette.js";
import { lined, withChosen } from "./arrange.js";
import { canvasOf, figures } from "./show.js";
import { paint } from "./still.js";

/** @typedef {import("./show.js").Living} Living */

const plotly = () => /** @type {any} */ (globalThis).Plotly;

/**
 * Marks a figure in the place of what was marked before.
 * @param {HTMLElement} stage @param {any[]} shapes as a layout has them; `name: "line query"`
 * gives a colour
 * @param {Record<string, number | null>} [chosen] by axis of the layout, the place whose name
 * stands in bold
 */
export function mark(stage, shapes, chosen = {}) {
	const living = figures.get(stage);
	if (!living) return;
	const { arranged, plot } = living;
	const { layout, panels } = arranged;
	const colours = palette();
	living.chosen = chosen;
	const bare = /** @type {any[]} */ (arranged.bare ?? layout.shapes);
	arranged.bare = bare;
	layout.shapes = [...bare, ...shapes.map((shape) => lined(shape, colours))];
	const changes = /** @type {Record<string, any>} */ ({ shapes: layout.shapes });
	for (const { x, y, box, rooms, named } of panels) {
		for (const [key, pixels] of /** @type {[string, number][]} */ ([
			[x, box.width],
			[y, box.height],
		])) {
			if (chosen[key] === undefined) continue;
			const among = (/** @type {number[]} */ range) =>
				withChosen(named[key], range, pixels, rooms[key], chosen[key]);
			Object.assign(layout[key], among(layout[key].range));
			const shown = living.redraw
				? among(/** @type {any} */ (plot)._fullLayout[key].range)
				: layout[key];
			changes[`${key}.tickvals`] = shown.tickvals;
			changes[`${key}.ticktext`] = shown.ticktext;
		}
	}
	if (living.redraw) plotly().relayout(plot, changes);
	else paint(canvasOf(stage), arranged, colours);
}

/**
 * Other numbers in a trace of a figure that is there.
 * @param {HTMLElement} stage @param {number} number of the trace @param {Record<string, any>}
 * changes
 */
export function renumber(stage, number, changes) {
	const living = figures.get(stage);
	if (!living) return;
	const { arranged, plot, traces } = living;
	Object.assign(traces[number], changes);
	Object.assign(arranged.data[number], changes);
	if (!living.redraw) return paint(canvasOf(stage), arranged, palette());
	const each = Object.entries(changes).map(([name, value]) => [name, [value]]);
	plotly().restyle(plot, Object.fromEntries(each), [number]);
}
