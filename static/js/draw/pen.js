// What a pen leaves on an image: ink where it went, and paper where it wipes.

import { STEPS } from "./ink.js";

/** @typedef {{row: number, column: number}} Pixel */
/** @typedef {{x: number, y: number}} Point in pixels from the upper left corner of the image */

const PEN = 0.65; // its radius in pixels: a stroke a little wider than one, as in the digits

/**
 * The same image with one pixel changed.
 * @param {number[][]} values @param {Pixel} pixel @param {number} value
 */
export const withPixel = (values, pixel, value) =>
	values.map((row, r) =>
		row.map((old, c) => (r === pixel.row && c === pixel.column ? value : old)),
	);

/**
 * The same image after a stroke of the pen: each pixel as grey as the pen covers it, in sixteenths.
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
