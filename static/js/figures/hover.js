// What is said of a point: the trace's own template, with the point's numbers put in.

import { significant } from "../draw/text.js";
import { plain } from "./axis.js";

const FIELD = /%\{(\w+)(?:\[(\d+)\])?(?::\.(\d+)([gf]))?\}/g;

/**
 * The name that stands at a whole number of an axis of names, else the number.
 * @param {any} axis the axis as it was served @param {number} value
 */
function along(axis, value) {
	const i = (axis?.tickvals ?? []).indexOf(value);
	return i >= 0 && axis.ticktext?.[i] ? plain(axis.ticktext[i]) : significant(Number(value));
}

/**
 * The lines of a hover card.
 * @param {string} template with `<br>` and `<b>` @param {Open} point x, y, z, text, customdata
 * @param {Open} axes as they were served @returns {HoverLine[]}
 */
export function lines(template, point, axes) {
	const said = template.replace(/<extra>.*$/s, "").replace(FIELD, (_, name, index, digits, how) => {
		const value = index === undefined ? point[name] : point[name]?.[Number(index)];

		if (how === "f") return Number(value).toFixed(Number(digits)).replace("-", "−");
		if (how === "g") return significant(Number(value), Number(digits));
		if (name === "x" || name === "y") return along(axes[name], value);
		return typeof value === "number" ? significant(value) : plain(value ?? "");
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
