// What is said of a point: the trace's own template, with the point's numbers put in.

import { significant } from "../draw/text.js";
import { nameAt, plain } from "./axis.js";

const FIELD = /%\{(\w+)(?:\[(\d+)\])?(?::\.(\d+)([gf]))?\}/g;

/**
 * The lines of a hover card.
 * @param {string} template with `<br>` and `<b>` @param {Open} point x, y, z, text, customdata
 * @param {Open} axes as they were served
 */
export function lines(template, point, axes) {
	const said = template.replace(/<extra>.*$/s, "").replace(FIELD, (_, name, index, digits, how) => {
		const value = index === undefined ? point[name] : point[name]?.[Number(index)];
		if (how === "f") return Number(value).toFixed(Number(digits)).replace("-", "−");
		if (how === "g") return significant(Number(value), Number(digits));
		const at = nameAt(axes[name], value ?? "");
		return typeof at === "number" ? significant(at) : plain(at);
	});
	return said.split("<br>").map((line) =>
		line
			.split(/(<b>.*?<\/b>)/)
			.filter(Boolean)
			.map((part) => ({
				text: plain(part.replace(/<\/?b>/g, "")),
				strong: part.startsWith("<b>"),
			})),
	);
}

/** The same in one sentence, to be spoken. @param {HoverLine[]} card */
export const spoken = (card) =>
	card.map((line) => line.map(({ text }) => text).join("")).join(", ");
