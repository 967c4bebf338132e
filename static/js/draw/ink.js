// An image as grey values from 0 (paper) to 1 (ink), row by row: read from an address, written into
// one, painted; and what a pen leaves on it, ink where it went and paper where it wipes.

import { rgb } from "./palette.js";

const STEPS = 16; // of grey, as scikit-learn's digits have them

/**
 * The rows of an image written as numbers with commas between, "0,0.5,…", or as one sign for each
 * pixel, 0 to 9 and a to g: sixteenths.
 * Null where they fill no square. @param {string} written @returns {number[][] | null}
 */
export function rowsOf(written) {
	const values = written.includes(",")
		? written.split(",").map((value) => (value.trim() === "" ? NaN : Number(value)))
		: [...written].map((sign) => parseInt(sign, STEPS + 1) / STEPS);
	const side = Math.sqrt(values.length);
	if (!side || !Number.isInteger(side) || !values.every((value) => value >= 0 && value <= 1))
		return null;
	return Array.from({ length: side }, (_, row) => values.slice(row * side, (row + 1) * side));
}

/** The shortest form, a sign for each pixel. @param {number[][]} values */
export const signs = (values) =>
	values
		.flat()
		.map((value) => Math.round(value * STEPS).toString(STEPS + 1))
		.join("");

/**
 * Paints an image on a canvas, a pixel a pixel.
 * @param {HTMLCanvasElement} canvas @param {number[][]} values @param {Palette} colours
 */
export function paintInk(canvas, values, { paper, ink }) {
	canvas.width = canvas.height = values.length;
	const [from, to] = [paper, ink].map(rgb);
	const bytes = values
		.flat()
		.flatMap((value) => [...from.map((part, i) => part + (to[i] - part) * value), 255]);
	canvas
		.getContext("2d")
		?.putImageData(new ImageData(new Uint8ClampedArray(bytes), values.length), 0, 0);
}

/** @param {number} side */
export const blank = (side) => Array.from({ length: side }, () => new Array(side).fill(0));

const PEN = 0.65; // its radius in pixels: a stroke a little wider than one, as in the digits

/** @param {number[][]} values @param {Pixel} pixel @param {number} value */
export const withPixel = (values, pixel, value) =>
	values.map((row, r) =>
		row.map((old, c) => (r === pixel.row && c === pixel.column ? value : old)),
	);

/**
 * The image after a stroke of the pen: each pixel as grey as the pen covers it, in sixteenths.
 * Ink never makes lighter; paper (`grey` 0) never darker.
 * @param {number[][]} values @param {Point} from @param {Point} to @param {number} grey
 */
export const inked = (values, from, to, grey) =>
	values.map((row, r) =>
		row.map((old, c) => {
			const far = distance({ x: c + 0.5, y: r + 0.5 }, from, to);
			const covered = Math.min(1, Math.max(0, PEN + 0.5 - far));
			const left = grey === 0 ? Math.min(old, 1 - covered) : Math.max(old, covered * grey);
			return Math.round(left * STEPS) / STEPS;
		}),
	);

/**
 * From a point to the stroke between two others.
 * @param {Point} point @param {Point} from @param {Point} to
 */
function distance(point, from, to) {
	const [dx, dy] = [to.x - from.x, to.y - from.y];
	const share = ((point.x - from.x) * dx + (point.y - from.y) * dy) / (dx * dx + dy * dy || 1);
	const along = Math.min(1, Math.max(0, share));
	return Math.hypot(point.x - from.x - along * dx, point.y - from.y - along * dy);
}
