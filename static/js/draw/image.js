// An image cut into its patches, each in a frame of the colour of its weight; [CLS], which is no part of the image, stands beside it.

import { colourOf, css, inkOn, pixels, ramp } from "./colours.js";
import { cells, rect, scene, text } from "./scene.js";
import { scaleBar } from "./scalebar.js";
import { weight } from "./text.js";

const FRAME = 0.1; // of a patch's side, on each of its sides

/** @typedef {{row: number, column: number}} Cell column 0 is [CLS], in every row; the patches follow */
/**
 * @typedef {object} Cut
 * @property {number[][]} values grey values from 0 (paper) to 1 (ink), row by row
 * @property {[number, number]} grid rows and columns of patches
 * @property {number[] | null} weights of [CLS] and of the patches, row by row; null draws the image alone
 * @property {import("./colours.js").Scale} scale of the weights @property {import("./palette.js").Palette} colours
 */
/** @typedef {Cut & {label: string, width: number, height: number, selected?: number | null}} Patched `selected`: the token whose weights these are, 0 for [CLS] */

/** @param {Patched} options */
export function patched({ label, width, height, selected = null, ...cut }) {
	const {
		grid: [rows, columns],
		weights,
		scale,
		colours,
	} = cut;
	const size = colours.tick;
	const top = size * 2;
	const side = Math.max(
		8,
		Math.min((height - top - size) / rows, (width - size * 6) / (columns + 1.5)),
	);
	const area = { x: side * 1.5, y: top, width: side * columns, height: side * rows };
	const box = (/** @type {number} */ row, /** @type {number} */ column) =>
		column === 0
			? { x: 0, y: area.y, width: side, height: side }
			: { x: area.x + (column - 1) * side, y: area.y + row * side, width: side, height: side };
	const at = (/** @type {number} */ x, /** @type {number} */ y) => {
		const [row, column] = [Math.floor((y - area.y) / side), Math.floor((x - area.x) / side)];
		if (row >= 0 && row < rows && column >= 0 && column < columns)
			return { row, column: column + 1 };
		return x >= 0 && x < side && y >= area.y && y < area.y + side ? { row: 0, column: 0 } : null;
	};
	const named =
		side > size * 3
			? [
					text(side / 2, area.y + side / 2, "[CLS]", {
						fill: weights ? inkOn(colourOf(scale, weights[0])) : colours.ink,
						size,
						font: "mono",
						anchor: "middle",
					}),
				]
			: [];
	const shapes = [
		...framed(box(0, 0), weights?.[0] ?? null, scale, colours),
		...named,
		...patches({ ...cut, ...area, side }),
		...(selected === null ? [] : [marked(box(...cellOf(selected, columns)), colours)]),
		...(weights
			? scaleBar({
					scale,
					colours,
					x: area.x + area.width + size * 1.4,
					y: area.y,
					height: Math.min(area.height, 240),
				})
			: []),
	];
	return { scene: scene(width, height, label, shapes), box, at, area, rows, columns: columns + 1 };
}

/** The patches alone, each `side` long, from a corner on; `frame` is the share of it that a frame takes on each side. @param {Cut & {x: number, y: number, side: number, frame?: number}} cut */
export const patches = ({
	values,
	grid: [rows, columns],
	weights,
	scale,
	colours,
	x,
	y,
	side,
	frame = FRAME,
}) =>
	Array.from({ length: rows * columns }, (_, i) => {
		const [row, column] = [Math.floor(i / columns), i % columns];
		const [left, above, inside] = [x + column * side, y + row * side, side * (1 - 2 * frame)];
		const cut = patch(values, row, column, rows, columns);
		const block = cells(
			left + frame * side,
			above + frame * side,
			inside,
			inside,
			cut.length,
			cut[0].length,
			pixels(cut, greys(colours)),
		);
		return [
			...framed(
				{ x: left, y: above, width: side, height: side },
				weights?.[i + 1] ?? null,
				scale,
				colours,
			),
			block,
		];
	}).flat();

/** The token of a cell: 0 is [CLS]. @param {Cell} cell @param {number} columns of patches */
export const tokenOf = ({ row, column }, columns) => (column === 0 ? 0 : row * columns + column);

/** Row and column of a token's cell. @param {number} token @param {number} columns of patches @returns {[number, number]} */
export const cellOf = (token, columns) =>
	token === 0 ? [0, 0] : [Math.floor((token - 1) / columns), 1 + ((token - 1) % columns)];

/** What a screen reader hears of a cell. @param {string[]} labels @param {number} from @param {number} to @param {number} value */
export const sayLook = (labels, from, to, value) =>
	`${labels[from]} looks at ${labels[to]}: ${weight(value)}`;

/** @param {number[][]} values @param {number} row @param {number} column @param {number} rows @param {number} columns */
function patch(values, row, column, rows, columns) {
	const [high, wide] = [values.length / rows, values[0].length / columns];
	return values
		.slice(row * high, (row + 1) * high)
		.map((line) => line.slice(column * wide, (column + 1) * wide));
}

/** @param {import("./heatmap.js").Box} box @param {number | null} value @param {import("./colours.js").Scale} scale @param {import("./palette.js").Palette} colours */
const framed = ({ x, y, width, height }, value, scale, colours) => [
	rect(x, y, width, height, {
		fill: value === null ? colours.sunken : css(scale, value),
		stroke: colours.rule,
	}),
];

/** @param {import("./heatmap.js").Box} box @param {import("./palette.js").Palette} colours */
const marked = ({ x, y, width, height }, colours) =>
	rect(x + 1, y + 1, width - 2, height - 2, { stroke: colours.focus, line: 3 });

/** Paper to ink. @param {import("./palette.js").Palette} colours @returns {import("./colours.js").Scale} */
const greys = ({ paper, ink }) => ({
	low: 0,
	high: 1,
	unit: "ink",
	ramp: ramp([paper, ink]),
	stops: [paper, ink],
});
