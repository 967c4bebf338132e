// A colour scale under a picture, lying.

import { pixels } from "../draw/colours.js";
import { cells, rect, text } from "../draw/scene.js";
import { number } from "../draw/text.js";

const GAP = 8;
const STEPS = 64;
export const THICK = 10;

/** The scale under a picture, lying: its colours, both ends, the middle and the unit. */
export function levelBar({ scale, unit, palette, x, y, width }) {
	const at = (share) => scale.low + share * (scale.high - scale.low);
	const strip = pixels([Array.from({ length: STEPS }, (_, i) => at((i + 0.5) / STEPS))], scale);
	const style = { size: palette.tick, fill: palette.inkSoft };
	const tick = (share, anchor) =>
		text(x + share * width, y + THICK + palette.tick * 0.8, number(at(share), 2), {
			...style,
			font: "mono",
			anchor,
		});
	return [
		cells(x, y, width, THICK, 1, STEPS, strip),
		rect(x, y, width, THICK, { stroke: palette.ruleStrong, line: 1 }),
		...[tick(0, "start"), tick(0.5, "middle"), tick(1, "end")],
		text(x + width + GAP, y + THICK / 2, unit, style),
	];
}
