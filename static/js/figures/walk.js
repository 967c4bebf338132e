// Which point of a figure is meant: what it says, which is next to it, and what choosing it asks
// for.

import { within } from "../common.js";
import { axisKey, cellName, each, edges, tileAt } from "./traces.js";
import { say } from "../words.js";

/** The point under the cursor, and how it is told. @param {Staged} figure */
export function pointOf({ traces, served: { layout }, cursor: { trace: number, at, row } }) {
	const trace = traces[number];
	const { x, y, z, x0 = 0, y0 = 0, text, customdata, meta, hovertemplate = "" } = trace;
	const middle = (/** @type {number[]} */ places, i = 0, count = 0) => {
		const ends = edges(places, count);
		return (ends[i] + ends[i + 1]) / 2;
	};
	const point = z
		? {
				x: middle(x, at, z[0].length) + x0,
				y: middle(y, row, z.length) + y0,
				z: z[row][at],
				text: text?.[row]?.[at],
				customdata: customdata?.[row]?.[at],
				cell: cellName(meta, row, at),
			}
		: { x: x[at], y: y[at], text: each(text, at), customdata: each(customdata, at) };
	// Small maps name their cells, between them nothing is said; a masked cell has no number.
	const named = meta?.names ? point.cell && `%{cell}<br>${hovertemplate}` : hovertemplate;
	const masked = /%{z\b/.test(named) && (point.z === null || Number.isNaN(point.z));
	const template = masked ? named?.replace(/<br>.*$/s, `<br><b>${say("masked")}</b>`) : named;
	const axes = { x: layout[axisKey(trace, "x")], y: layout[axisKey(trace, "y")] };
	return { trace, point, axes, template: template ?? "" };
}

/**
 * Moves the cursor by rows or traces, and by points; returns whether there is one.
 * @param {Staged} figure @param {number[]} by
 */
export function walk(figure, by) {
	const { cursor, traces } = figure;
	const [down, right] = figure.walking ? by : [0, 0];
	figure.walking = true;
	const trace = traces[cursor.trace] ?? traces[0];
	if (trace?.z) {
		const next = nextCell(trace, cursor, down, right);
		const stays = next.row === cursor.row && next.at === cursor.at;
		Object.assign(cursor, stays ? beyond(figure, down) : next);
	} else if (trace) {
		cursor.trace = within(0, traces.length - 1, cursor.trace + down);
		const { x, z } = traces[cursor.trace];
		cursor.at = within(0, (x ?? z[0]).length - 1, cursor.at + right);
	}
	return Boolean(trace);
}

/**
 * Beyond the last row of a matrix lies the next matrix of the figure, and before its first row
 * the one before.
 * @param {Staged} figure @param {number} down
 */
function beyond({ cursor, traces }, down) {
	const { z, hoverinfo } = (down && traces[cursor.trace + down]) || {};
	if (!z || hoverinfo === "skip") return {};
	const at = Math.min(cursor.at, z[0].length - 1);
	return { trace: cursor.trace + down, at, row: down > 0 ? 0 : z.length - 1 };
}

/**
 * The next cell that says something; between small maps lie cells that say nothing.
 * @param {Trace} trace @param {Place} from @param {number} down @param {number} right
 */
function nextCell({ z, customdata, meta }, from, down, right) {
	const silent = (row = 0, at = 0) =>
		meta?.names ? !tileAt(meta, row, at) : customdata?.[row]?.[at] === "";
	let { row, at } = from;
	if (silent(row, at)) {
		const first = (r = 0) => Array.from(z[r]).findIndex((_, c) => !silent(r, c));
		row = z.findIndex((/** @type {any} */ _, r = 0) => first(r) >= 0);
		return { row, at: first(row) };
	}
	do [row, at] = [row + down, at + right];
	while (z[row]?.[at] !== undefined && silent(row, at));
	return z[row]?.[at] === undefined ? from : { row, at };
}

/**
 * A trace may say what a click on one of its points asks for, one value for each column or for each
 * cell.
 * @param {Staged} figure
 */
export function choose({ traces, cursor, pick, enter }) {
	const { at, row } = cursor;
	enter?.({ ...cursor });
	const { meta } = traces[cursor.trace] ?? {};
	const changes = [
		...Object.entries(tileAt(meta, row, at)?.[4] ?? {}),
		...Object.entries(meta?.pick ?? {}).map(([name, of]) => [
			name,
			each(Array.isArray(of[0]) ? of[row] : of, at),
		]),
		...Object.entries(meta?.pick_row ?? {}).map(([name, of]) => [name, of[row]]),
	];
	if (changes.length && changes.every(([, value]) => value !== null))
		pick(Object.fromEntries(changes.map(([name, value]) => [name, String(value)])));
}
