// A scale's bar: every coloured picture has one, with its ends, its middle and its unit.

import { cells, line, rect, text } from "./scene.js";
import { number } from "./text.js";

/**
 * An upright bar, high at the top.
 * @param {{scale: import("./colours.js").Scale, colours: import("./palette.js").Palette, x: number, y: number, height: number, width?: number}} options
 * @returns {import("./scene.js").Shape[]}
 */
export function scaleBar({ scale, colours, x, y, height, width = colours.tick }) {
	const size = colours.tick;
	const pixels = new Uint8ClampedArray(256 * 4);
	for (let i = 0; i < 256; i += 1)
		pixels.set(
			[
				scale.ramp[3 * (255 - i)],
				scale.ramp[3 * (255 - i) + 1],
				scale.ramp[3 * (255 - i) + 2],
				255,
			],
			4 * i,
		);
	const fractions = height > size * 8 ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.5, 1];
	const tick = (/** @type {number} */ t) => {
		const level = y + height * (1 - t);
		return [
			line(x + width, level, x + width + 4, level, { stroke: colours.ruleStrong }),
			text(x + width + 7, level, trim(scale.low + t * (scale.high - scale.low)), {
				fill: colours.ink,
				size,
				font: "mono",
				baseline: t === 1 ? "top" : t === 0 ? "bottom" : "middle",
			}),
		];
	};
	return [
		cells(x, y, width, height, 256, 1, pixels),
		rect(x, y, width, height, { stroke: colours.ruleStrong }),
		...fractions.flatMap(tick),
		...(scale.unit
			? [
					text(x, y - 6, scale.unit, {
						fill: colours.inkSoft,
						size,
						font: "serif",
						italic: true,
						baseline: "bottom",
					}),
				]
			: []),
	];
}

/** 0.50 as 0.5. @param {number} value */
const trim = (value) =>
	number(value, Math.abs(value) < 10 ? 2 : 1)
		.replace(/(\.\d*?)0+$/, "$1")
		.replace(/\.$/, "");
