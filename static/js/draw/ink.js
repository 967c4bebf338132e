// An image as grey values from 0 (paper) to 1 (ink), row by row: read from an address, written into one, painted.

import { rgb } from "./palette.js";

export const STEPS = 16; // of grey, as scikit-learn's digits have them

/**
 * The rows of an image written as numbers with commas between, "0,0.5,…", or as one sign for each pixel, 0 to 9 and a to g: sixteenths.
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
 * @param {HTMLCanvasElement} canvas @param {number[][]} values @param {import("./palette.js").Palette} colours
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
