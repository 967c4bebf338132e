// Axes of a chart: round ticks, their names, and numbers to pixels.

import { line, text } from "./scene.js";
import { number, shorten, visible } from "./text.js";

/** Round numbers that cover low to high, about `wanted` of them. @param {number} low @param {number} high @param {number} [wanted] */
export function ticks(low, high, wanted = 5) {
	const span = high - low || 1;
	const rough = span / Math.max(1, wanted);
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) ?? 10);
	const first = Math.ceil(low / step - 1e-9);
	const count = Math.floor(high / step + 1e-9) - first + 1;
	return Array.from({ length: Math.max(0, count) }, (_, i) =>
		Number(((first + i) * step).toPrecision(12)),
	);
}

/** @typedef {{x: number, y: number, width: number, height: number}} Area */
/** @typedef {[number, string][]} Marks where an axis is marked, and what stands there: for logarithms, of the numbers themselves */
/** @typedef {{low: number, high: number, title: string, marks?: Marks}} Range */

/** @param {number} value */
const plain = (value) =>
	number(value)
		.replace(/(\.\d*?)0+$/, "$1")
		.replace(/\.$/, "");

/** @param {Range} range @param {number} wanted @returns {Marks} */
const marksOf = ({ low, high, marks }, wanted) =>
	marks ?? ticks(low, high, wanted).map((value) => [value, plain(value)]);

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Ten to a whole power as people write it. @param {number} power */
export const powerOfTen = (power) =>
	power === 0
		? "1"
		: power === 1
			? "10"
			: `10${power < 0 ? "⁻" : ""}${[...String(Math.abs(power))].map((digit) => RAISED[Number(digit)]).join("")}`;

/** An axis of logarithms to base ten that covers all of `values`, marked at the powers of ten. @param {number[]} values @param {string} title @returns {Range} */
export function decades(values, title) {
	const logs = values.filter((value) => value > 0).map(Math.log10);
	const [low, high] = [Math.floor(Math.min(...logs) + 1e-9), Math.ceil(Math.max(...logs) - 1e-9)];
	const every = Math.max(1, Math.ceil((high - low) / 8));
	return {
		title,
		low,
		high: Math.max(high, low + 1),
		marks: Array.from(
			{ length: Math.floor((Math.max(high, low + 1) - low) / every) + 1 },
			(_, i) => [low + i * every, powerOfTen(low + i * every)],
		),
	};
}

/** @param {Range} range @param {number} from @param {number} to */
export const place =
	({ low, high }, from, to) =>
	(/** @type {number} */ value) =>
		from + ((to - from) * (value - low)) / (high - low || 1);

/** The upright axis, with hairlines across. @param {Area} area @param {Range} range @param {import("./palette.js").Palette} colours */
export function yAxis(area, range, colours) {
	const y = place(range, area.y + area.height, area.y);
	const size = colours.tick;
	return [
		...marksOf(range, Math.max(2, Math.floor(area.height / (size * 3.2)))).flatMap(
			([value, said]) => [
				line(area.x, y(value), area.x + area.width, y(value), {
					stroke: value === 0 ? colours.ruleStrong : colours.rule,
				}),
				text(area.x - 6, y(value), said, {
					fill: colours.inkSoft,
					size,
					font: "mono",
					anchor: "end",
				}),
			],
		),
		text(0, area.y - size * 1.4, range.title, {
			fill: colours.inkSoft,
			size,
			font: "serif",
			italic: true,
		}),
	];
}

/** The level axis with numbers. @param {Area} area @param {Range} range @param {import("./palette.js").Palette} colours */
export function xAxis(area, range, colours) {
	const x = place(range, area.x, area.x + area.width);
	const size = colours.tick;
	const bottom = area.y + area.height;
	return [
		line(area.x, bottom, area.x + area.width, bottom, { stroke: colours.ruleStrong }),
		...marksOf(range, Math.max(2, Math.floor(area.width / (size * 6)))).flatMap(([value, said]) => [
			line(x(value), bottom, x(value), bottom + 4, { stroke: colours.ruleStrong }),
			text(x(value), bottom + 6, said, {
				fill: colours.inkSoft,
				size,
				font: "mono",
				anchor: "middle",
				baseline: "top",
			}),
		]),
		text(area.x + area.width, bottom + size * 2, range.title, {
			fill: colours.inkSoft,
			size,
			font: "serif",
			italic: true,
			anchor: "end",
			baseline: "top",
		}),
	];
}

/** The level axis with names, one for each place; turned where they would touch. @param {Area} area @param {string[]} names @param {string} title @param {import("./palette.js").Palette} colours */
export function nameAxis(area, names, title, colours) {
	const size = colours.tick;
	const bottom = area.y + area.height;
	const step = area.width / names.length;
	const turned =
		Math.max(...names.map((name) => [...visible(name)].length)) * size * 0.61 > step - 4;
	const every = Math.max(1, Math.ceil((size * 1.1) / step));
	return [
		line(area.x, bottom, area.x + area.width, bottom, { stroke: colours.ruleStrong }),
		...names.flatMap((name, i) => {
			const x = area.x + (i + 0.5) * step;
			const said = shorten(visible(name), 14);
			if (i % every) return [];
			return [
				turned
					? text(x + 3, bottom + 8, said, {
							fill: colours.ink,
							size,
							font: "mono",
							anchor: "end",
							turn: -48,
						})
					: text(x, bottom + 6, said, {
							fill: colours.ink,
							size,
							font: "mono",
							anchor: "middle",
							baseline: "top",
						}),
			];
		}),
		text(area.x + area.width, bottom + nameSpace(names, turned, size) - size * 1.3, title, {
			fill: colours.inkSoft,
			size,
			font: "serif",
			italic: true,
			anchor: "end",
			baseline: "top",
		}),
	];
}

/** How much room the names need under the axis. @param {string[]} names @param {boolean} turned @param {number} size */
export const nameSpace = (names, turned, size) =>
	size * 3 +
	(turned
		? Math.min(14, Math.max(...names.map((name) => [...visible(name)].length))) * size * 0.46
		: 0);
