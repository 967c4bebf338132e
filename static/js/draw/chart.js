// Lines and bars with their axes. Lines carry their names at their ends; bars stack, below zero too.

import { nameAxis, nameSpace, place, xAxis, yAxis } from "./axes.js";
import { dot, line, path, rect, scene, text } from "./scene.js";
import { monoWidth, visible } from "./text.js";

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {{name: string, colour: string, values: (number | null)[], dash?: number[], dots?: boolean}} Series */
/** @typedef {{title: string, low?: number, high?: number, marks?: import("./axes.js").Marks}} Y */

/** @param {(number | null)[]} values @param {Y} y @returns {import("./axes.js").Range} */
function span(values, { title, low, high, marks }) {
	const finite = /** @type {number[]} */ (values.filter((value) => value !== null));
	return {
		title,
		marks,
		low: low ?? Math.min(0, ...finite),
		high: high ?? Math.max(...finite, 1e-12),
	};
}

/** @param {{width: number, height: number, colours: Palette, right: number, bottom: number}} frame @returns {import("./axes.js").Area} */
const area = ({ width, height, colours, right, bottom }) => ({
	x: colours.tick * 4.5,
	y: colours.tick * 2.4,
	width: Math.max(40, width - colours.tick * 4.5 - right),
	height: Math.max(40, height - colours.tick * 2.4 - bottom),
});

/**
 * One line a series over named places (`names`) or numbers (`xs`, marked at `marks` if given).
 * @param {{series: Series[], names?: string[], xs?: number[], marks?: import("./axes.js").Marks, x: string, y: Y, label: string, colours: Palette, width: number, height: number, selected?: number | null}} options
 */
export function lines({
	series,
	names,
	xs,
	marks,
	x: xTitle,
	y,
	label,
	colours,
	width,
	height,
	selected = null,
}) {
	const size = colours.tick;
	const named = series.length > 1;
	const right = named
		? Math.max(...series.map(({ name }) => monoWidth(name, size))) * 0.95 + 16
		: 16;
	const turned =
		Boolean(names) &&
		Math.max(.../** @type {string[]} */ (names).map((name) => monoWidth(visible(name), size))) >
			(width - right - size * 4.5) / (names?.length || 1) - 4;
	const frame = area({
		width,
		height,
		colours,
		right,
		bottom: names ? nameSpace(names, turned, size) : size * 3.6,
	});
	const range = span(
		series.flatMap(({ values }) => values),
		y,
	);
	const count = series[0]?.values.length ?? 0;
	const level = xs
		? { low: xs[0], high: xs[xs.length - 1], title: xTitle, marks }
		: { low: -0.5, high: count - 0.5, title: xTitle };
	const toX = place(level, frame.x, frame.x + frame.width);
	const toY = place(range, frame.y + frame.height, frame.y);
	const point = (/** @type {Series} */ one, /** @type {number} */ i) =>
		/** @type {[number, number]} */ ([toX(xs ? xs[i] : i), toY(one.values[i] ?? 0)]);
	const drawn = series.flatMap((one) => {
		const present = one.values.map((_, i) => i).filter((i) => one.values[i] !== null);
		const dots = one.dots
			? present.map((i) => dot(...point(one, i), i === selected ? 5 : 3, { fill: one.colour }))
			: [];
		return [
			path(
				present.map((i) => point(one, i)),
				{ stroke: one.colour, line: 2, dash: one.dash },
			),
			...dots,
		];
	});
	const ends = named
		? apart(
				series.map(
					(one) =>
						point(
							one,
							one.values.findLastIndex((value) => value !== null),
						)[1],
				),
				size * 1.15,
				frame.y,
				frame.y + frame.height,
			)
		: [];
	return {
		scene: scene(width, height, label, [
			...yAxis(frame, range, colours),
			...(names
				? nameAxis(frame, names, xTitle, colours)
				: xAxis(frame, /** @type {import("./axes.js").Range} */ (level), colours)),
			...(selected === null
				? []
				: [
						line(
							toX(xs ? xs[selected] : selected),
							frame.y,
							toX(xs ? xs[selected] : selected),
							frame.y + frame.height,
							{ stroke: colours.ruleStrong, dash: [2, 3] },
						),
					]),
			...drawn,
			...ends.map((level, i) =>
				text(frame.x + frame.width + 8, level, series[i].name, {
					fill: series[i].colour,
					size,
					font: "mono",
				}),
			),
		]),
		area: frame,
		...hits(frame, count, (i) => toX(xs ? xs[i] : i)),
	};
}

/** Labels pushed apart so that none covers another. @param {number[]} wanted @param {number} step @param {number} low @param {number} high */
export function apart(wanted, step, low, high) {
	const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
	const placed = [...wanted];
	order.forEach((i, n) => (placed[i] = Math.max(placed[i], n ? placed[order[n - 1]] + step : low)));
	const over = Math.max(0, (placed[order[order.length - 1]] ?? 0) - high);
	[...order]
		.reverse()
		.forEach(
			(i, n, list) =>
				(placed[i] = Math.min(placed[i], n ? placed[list[n - 1]] - step : placed[i] - over)),
		);
	return placed;
}

/**
 * Bars over named places; several series stack, positive upward and negative downward from zero.
 * @param {{series: Series[], names: string[], x: string, y: Y, label: string, colours: Palette, width: number, height: number, selected?: number | null, totals?: (number | null)[]}} options
 */
export function bars({
	series,
	names,
	x: xTitle,
	y,
	label,
	colours,
	width,
	height,
	selected = null,
	totals,
}) {
	const size = colours.tick;
	const turned =
		Math.max(...names.map((name) => monoWidth(visible(name), size))) >
		(width - size * 4.5 - 16) / names.length - 4;
	const frame = area({ width, height, colours, right: 16, bottom: nameSpace(names, turned, size) });
	const reach = names
		.map((_, i) => series.map(({ values }) => values[i] ?? 0))
		.flatMap((parts) => [sum(parts.filter((v) => v > 0)), sum(parts.filter((v) => v < 0))]);
	const range = span([...reach, ...(totals ?? [])], y);
	const toY = place(range, frame.y + frame.height, frame.y);
	const step = frame.width / names.length;
	const wide = Math.min(step * 0.72, 64);
	const stack = names.flatMap((_, i) => {
		const from = { up: 0, down: 0 };
		return series.map(({ values, colour }) => {
			const value = values[i] ?? 0;
			const side = value < 0 ? "down" : "up";
			const [a, b] = [toY(from[side]), toY((from[side] += value))];
			return rect(frame.x + (i + 0.5) * step - wide / 2, Math.min(a, b), wide, Math.abs(a - b), {
				fill: colour,
			});
		});
	});
	const marks = (totals ?? []).flatMap((total, i) =>
		total === null
			? []
			: [
					line(
						frame.x + (i + 0.5) * step - wide / 2 - 4,
						toY(total),
						frame.x + (i + 0.5) * step + wide / 2 + 4,
						toY(total),
						{ stroke: colours.ink, line: 2 },
					),
				],
	);
	return {
		scene: scene(width, height, label, [
			...(selected === null
				? []
				: [rect(frame.x + selected * step, frame.y, step, frame.height, { fill: colours.select })]),
			...yAxis(frame, range, colours),
			...nameAxis(frame, names, xTitle, colours),
			...stack,
			...marks,
		]),
		area: frame,
		...hits(frame, names.length, (i) => frame.x + (i + 0.5) * step),
	};
}

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** The same geometry that a heat map has: one row, a column for each place. @param {import("./axes.js").Area} frame @param {number} count @param {(i: number) => number} centre */
function hits(frame, count, centre) {
	const step = frame.width / Math.max(1, count);
	return {
		box: (/** @type {number} */ _, /** @type {number} */ c) => ({
			x: centre(c) - step / 2,
			y: frame.y,
			width: step,
			height: frame.height,
		}),
		at: (/** @type {number} */ x, /** @type {number} */ y) => {
			const column = Math.round((x - centre(0)) / (count > 1 ? centre(1) - centre(0) : step));
			return column >= 0 && column < count && y >= frame.y && y <= frame.y + frame.height
				? { row: 0, column }
				: null;
		},
	};
}
