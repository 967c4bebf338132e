// Numbers to colours: probabilities on cividis from 0 to 1, signed numbers on blue and orange around 0. The stops are in tokens.css.

import { luminance, rgb } from "./palette.js";

/** @typedef {import("./palette.js").Rgb} Rgb */
/** @typedef {import("./palette.js").Palette} Palette */

/** 256 colours between the stops, as RGB bytes. @param {string[]} stops */
export function ramp(stops) {
	const colours = stops.map(rgb);
	const bytes = new Uint8ClampedArray(256 * 3);
	for (let i = 0; i < 256; i += 1) {
		const at = (i / 255) * (colours.length - 1);
		const low = Math.min(Math.floor(at), colours.length - 2);
		for (let c = 0; c < 3; c += 1)
			bytes[3 * i + c] = colours[low][c] + (at - low) * (colours[low + 1][c] - colours[low][c]);
	}
	return bytes;
}

/**
 * @typedef {object} Scale a scale knows where a number lies between its ends, and its colour there
 * @property {number} low @property {number} high @property {string} unit @property {Uint8ClampedArray} ramp @property {string[]} stops
 */

/** Fixed from 0 to 1, whatever the numbers are. @param {Palette} colours @param {string} [unit] @returns {Scale} */
export const probability = (colours, unit = "probability") => ({
	low: 0,
	high: 1,
	unit,
	ramp: ramp(colours.cividis),
	stops: colours.cividis,
});

/** Centred on 0; `limit` is the largest size shown. @param {Palette} colours @param {number} limit @param {string} [unit] @returns {Scale} */
export const signed = (colours, limit, unit = "") => ({
	low: -limit || -1,
	high: limit || 1,
	unit,
	ramp: ramp(colours.signed),
	stops: colours.signed,
});

/** From 0 up, for sizes that are no probabilities. @param {Palette} colours @param {number} high @param {string} [unit] @returns {Scale} */
export const sequential = (colours, high, unit = "") => ({
	low: 0,
	high: high || 1,
	unit,
	ramp: ramp(colours.cividis),
	stops: colours.cividis,
});

/** @param {Scale} scale @param {number} value */
const place = (scale, value) =>
	Math.max(0, Math.min(255, Math.round((255 * (value - scale.low)) / (scale.high - scale.low))));

/** @param {Scale} scale @param {number} value @returns {Rgb} */
export function colourOf(scale, value) {
	const i = 3 * place(scale, value);
	return [scale.ramp[i], scale.ramp[i + 1], scale.ramp[i + 2]];
}

/** @param {Scale} scale @param {number} value */
export const css = (scale, value) => `rgb(${colourOf(scale, value).join(" ")})`;

/** Black or white, whichever reads better on a colour (WCAG luminance). @param {Rgb} colour @returns {string} */
export const inkOn = (colour) => (luminance(colour) > 0.179 ? "#000000" : "#ffffff");

/** A matrix as RGBA bytes; null (masked) stays transparent, to be hatched. @param {(number | null)[][]} values @param {Scale} scale */
export function pixels(values, scale) {
	const columns = values[0]?.length ?? 0;
	const bytes = new Uint8ClampedArray(values.length * columns * 4);
	values.forEach((row, r) =>
		row.forEach((value, c) => {
			if (value === null) return;
			const from = 3 * place(scale, value);
			bytes.set(
				[scale.ramp[from], scale.ramp[from + 1], scale.ramp[from + 2], 255],
				4 * (r * columns + c),
			);
		}),
	);
	return bytes;
}

/** The largest size in nested lists, null left out: the limit of a signed scale. @param {any} values @returns {number} */
export const largest = (values) =>
	Array.isArray(values)
		? values.reduce((most, value) => Math.max(most, largest(value)), 0)
		: Math.abs(values ?? 0);

/** The head's own colour, the same on every page. @param {Palette} colours @param {number} head */
export const headColour = (colours, head) => colours.heads[head % colours.heads.length];
