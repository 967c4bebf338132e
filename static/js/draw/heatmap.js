// One labelled heat map: rows and columns with their names, values in the cells when there is room, masked cells hatched, the scale's bar.

import { colourOf, inkOn, pixels } from "./colours.js";
import { cells, hatch, line, rect, scene, text } from "./scene.js";
import { monoWidth, number, shorten, visible, weight } from "./text.js";
import { scaleBar } from "./scalebar.js";

/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/**
 * @typedef {object} HeatMap
 * @property {(number | null)[][]} values null is masked @property {string[]} rows @property {string[]} columns
 * @property {string} rowTitle @property {string} columnTitle @property {string} label
 * @property {import("./colours.js").Scale} scale @property {import("./palette.js").Palette} colours
 * @property {number} width @property {number} height
 * @property {boolean} [sums] print each row's sum beside it @property {boolean} [bar] the scale's bar; without it a legend has to say what the colours mean
 * @property {boolean} [print] numbers in the cells when there is room @property {boolean} [stretch] let cells take any shape to fill the space
 * @property {{row?: number, column?: number}} [selected] @property {boolean} [everyName] all columns' names, where a few are named and the others are ""
 */

const MOST_PRINTED = 12;
const LONGEST = 14;

/** @param {HeatMap} options */
export function heatMap({
	values,
	rows,
	columns,
	rowTitle,
	columnTitle,
	label,
	scale,
	colours,
	width,
	height,
	sums = false,
	bar = true,
	print = true,
	stretch = false,
	everyName = false,
	selected = {},
}) {
	const size = colours.tick;
	const names = rows.map((name) => shorten(visible(name), LONGEST));
	const tops = columns.map((name) => shorten(visible(name), LONGEST));
	const left = Math.max(...names.map((name) => monoWidth(name, size)), 16) + size * 2;
	const right = (sums ? size * 4 : 0) + size * 5.5;
	const room = {
		width: Math.max(40, width - left - right),
		height: Math.max(40, height - size * 3),
	};
	const most = stretch ? Infinity : Math.max(24, Math.min(96, room.height / rows.length) * 1.8);
	const cell = { width: Math.min(room.width / columns.length, most), height: 0 };
	const turned = Math.max(...tops.map((name) => monoWidth(name, size))) > cell.width - 4;
	const top =
		size * 1.8 +
		(turned ? Math.max(...tops.map((name) => monoWidth(name, size))) * 0.75 + size : size * 1.4);
	cell.height = Math.min(
		(height - top - 4) / rows.length,
		stretch ? Infinity : Math.max(24, cell.width),
	);
	const area = {
		x: left,
		y: top,
		width: cell.width * columns.length,
		height: cell.height * rows.length,
	};
	const box = (/** @type {number} */ r, /** @type {number} */ c) => ({
		x: area.x + c * cell.width,
		y: area.y + r * cell.height,
		width: cell.width,
		height: cell.height,
	});
	const at = (/** @type {number} */ x, /** @type {number} */ y) => {
		const place = {
			row: Math.floor((y - area.y) / cell.height),
			column: Math.floor((x - area.x) / cell.width),
		};
		return place.row >= 0 &&
			place.row < rows.length &&
			place.column >= 0 &&
			place.column < columns.length
			? place
			: null;
	};
	const shapes = [
		cells(
			area.x,
			area.y,
			area.width,
			area.height,
			rows.length,
			columns.length,
			pixels(values, scale),
		),
		...masked(values, box, colours),
		rect(area.x, area.y, area.width, area.height, { stroke: colours.rule }),
		...(print ? printed(values, box, cell, scale, colours) : []),
		text(area.x, size * 0.8, columnTitle, {
			fill: colours.inkSoft,
			size,
			italic: true,
			font: "serif",
		}),
		text(size * 0.8, area.y, rowTitle, {
			fill: colours.inkSoft,
			size,
			italic: true,
			font: "serif",
			turn: -90,
			anchor: "end",
		}),
		...names.flatMap((name, r) =>
			labelled(cell.height, r, size, () =>
				text(left - 6, area.y + (r + 0.5) * cell.height, name, {
					...mark(selected.row === r, colours),
					size,
					font: "mono",
					anchor: "end",
				}),
			),
		),
		...tops.flatMap((name, c) =>
			labelled(everyName ? Infinity : cell.width, c, size, () =>
				columnName(area.x + (c + 0.5) * cell.width, top, name, turned, {
					...mark(selected.column === c, colours),
					size,
				}),
			),
		),
		...(sums ? rowSums(values, area, cell, colours) : []),
		...(!bar
			? []
			: scaleBar({
					scale,
					colours,
					x: area.x + area.width + (sums ? size * 4 : 0) + size * 1.4,
					y: area.y,
					height: Math.min(area.height, 240),
				})),
	];
	return { scene: scene(width, height, label, shapes), box, at, area };
}

/** Only every so many labels where they would touch. @param {number} step @param {number} i @param {number} size @param {() => import("./scene.js").Shape} make */
const labelled = (step, i, size, make) =>
	i % Math.max(1, Math.ceil((size * 1.1) / step)) === 0 ? [make()] : [];

/** @param {boolean} on @param {import("./palette.js").Palette} colours */
const mark = (on, colours) => ({ fill: colours.ink, weight: on ? 700 : 400 });

/** @param {number} x @param {number} y @param {string} name @param {boolean} turned @param {any} style */
const columnName = (x, y, name, turned, style) =>
	turned
		? text(x, y - 6, name, { ...style, font: "mono", turn: -48 })
		: text(x, y - 6, name, { ...style, font: "mono", anchor: "middle", baseline: "bottom" });

/** @param {(number | null)[][]} values @param {(r: number, c: number) => Box} box @param {import("./palette.js").Palette} colours */
const masked = (values, box, colours) =>
	values.flatMap((row, r) =>
		row.flatMap((value, c) => {
			const { x, y, width, height } = box(r, c);
			return value === null ? [hatch(x, y, width, height, { stroke: colours.hatch })] : [];
		}),
	);

/** @param {(number | null)[][]} values @param {(r: number, c: number) => Box} box @param {{width: number, height: number}} cell @param {import("./colours.js").Scale} scale @param {import("./palette.js").Palette} colours */
function printed(values, box, cell, scale, colours) {
	const size = colours.tick;
	const few = values.length <= MOST_PRINTED && (values[0]?.length ?? 0) <= MOST_PRINTED;
	if (!few || cell.width < size * 2.6 || cell.height < size * 1.3) return [];
	const unit = scale.low === 0 && scale.high === 1;
	const say = (/** @type {number} */ value) =>
		unit ? weight(value) : number(value, cell.width > size * 3.6 ? 2 : 1);
	return values.flatMap((row, r) =>
		row.flatMap((value, c) => {
			const { x, y, width, height } = box(r, c);
			return value === null
				? []
				: [
						text(x + width / 2, y + height / 2, say(value), {
							fill: inkOn(colourOf(scale, value)),
							size,
							font: "mono",
							anchor: "middle",
						}),
					];
		}),
	);
}

/** @param {(number | null)[][]} values @param {Box} area @param {{width: number, height: number}} cell @param {import("./palette.js").Palette} colours */
function rowSums(values, area, cell, colours) {
	const size = colours.tick;
	const x = area.x + area.width;
	return [
		text(x + size * 0.8, area.y - 6, "sum", {
			fill: colours.inkSoft,
			size,
			font: "serif",
			italic: true,
			baseline: "bottom",
		}),
		line(x + 4, area.y, x + 4, area.y + area.height, { stroke: colours.rule }),
		...values.flatMap((row, r) =>
			labelled(cell.height, r, size, () => {
				const sum = row.reduce((/** @type {number} */ total, value) => total + (value ?? 0), 0);
				return text(x + size * 0.8, area.y + (r + 0.5) * cell.height, sum.toFixed(2), {
					fill: colours.ink,
					size,
					font: "mono",
				});
			}),
		),
	];
}
