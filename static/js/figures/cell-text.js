// What stands in the cells of a heat map, as large and as much of it as there is room for.

import { escaped, plain, unit } from "./axis.js";

/** Numbers stand whole or not at all; words (`meta.worded`, lines apart by `<br>`) lose their ends. @type {Fit} */
export function withText(trace, { box, x, y }, layout, { colours, measure }) {
	const family = colours.fonts.mono;
	if (!trace.text) return trace;
	if (!trace.z) return { ...trace, insidetextfont: { family, size: colours.tick } };
	const words = trace.meta?.worded;
	const [room, high] = [unit(layout[x], box.width) - 4, unit(layout[y], box.height)];
	const said = /** @type {string[][]} */ (trace.text);
	const inSize = (size = 0) => {
		const rows = words
			? Math.max(Number(high > size * 1.05), Math.floor(high / (size * 1.2)))
			: Number(high >= size);
		const lines = said.map((row) =>
			row.map((cell) => (cell ?? "").split("<br>").slice(0, Math.max(1, rows))),
		);
		const widest = Math.max(...lines.flat(2).map((line) => measure(plain(line), family, size)));
		return { size, rows, lines, fits: rows > 0 && widest <= room };
	};
	const large = words && high > 3.6 * colours.tick ? inSize(colours.text) : null;
	const { size, rows, lines, fits } = large?.fits ? large : inSize(colours.tick);
	const most = fits ? Infinity : Math.floor(room / measure("0", family, size));
	if (!fits && !(words && rows && most >= 2)) return { ...trace, texttemplate: "" };
	const whole = lines.flat().every(([, ...more]) => more.every((line) => letters(line) <= most));
	const text = lines.map((row) =>
		row.map((cell) =>
			cell
				.slice(0, whole ? undefined : 1)
				.map((line) => clipped(line, most))
				.join("<br>"),
		),
	);
	return { ...trace, text, texttemplate: "%{text}", textfont: { family, size } };
}

const letters = (said = "") => [...plain(said)].length;

/** A word that is too long loses its end. @param {string} said @param {number} most letters */
export const clipped = (said, most) =>
	letters(said) <= most ? said : escaped(`${[...plain(said)].slice(0, most - 1).join("")}…`);
