// Words within a panel. The first word of a note's name says how it gives way where room is scarce:
// "end" the name of a line at its end, pushed apart from others; "end?" may be left out; "near" the
// name of a dot, pushed apart, for which no room is kept beside the panel; "sum" what a row comes
// to, left out where rows are too close; "cell" shortened to its first word; "fit 3.5" shortened to
// end before 3.5; "word", "title" and "here" stay. The rest of the name is its colour.

import { unit } from "./axis.js";
import { colourOf } from "../draw/palette.js";

const SERVED = 13; // pixels of the type for which a figure as it is served states its shifts

/** @param {Note} note */
const named = ({ name = "" }) =>
	/^(end\??|near|title|sum|cell|word|here|fit) (?:(?<=fit )(\S+) )?(.*)/.exec(name) ?? [];
/** @param {Note[]} notes @param {...string} kinds */
export const ofKind = (notes, ...kinds) => notes.filter((note) => kinds.includes(named(note)[1]));

/**
 * @param {Note[]} notes @param {Axis} level @param {Axis} upright @param {Box} box
 * @param {number} line the least height of a line
 * @param {NoteSpace} space
 */
export function notesIn(notes, level, upright, box, line, { colours, wide, summed }) {
	const { tick: size, fonts } = colours;
	const [across, up] = [unit(level, box.width), unit(upright, box.height)];
	const gone = [
		...(up < line * 1.1 || !summed ? ["sum"] : []),
		...(box.height < ofKind(notes, "end", "end?").length * line * 0.9 ? ["end?"] : []),
	];
	const kept = notes.filter((note) => !gone.includes(named(note)[1]));
	const moved = apart(kept, upright, box, size);
	return kept.map((note, i) => {
		const [, kind, limit, role = note.name] = named(note);
		const words = note.text.split(" ");
		if (kind === "cell" && wide(note.text) > across - 4) words.length = 1;
		while (limit && words.length && wide(words.join(" ")) > Math.abs(+limit - note.x) * across)
			note.xanchor === "right" ? words.shift() : words.pop();
		const [ink, ground] = role?.split(" on ") ?? [];
		return {
			showarrow: false,
			borderpad: 0,
			...note,
			...(kind === "title" && note.yshift && { yshift: (note.yshift * size) / SERVED }),
			...moved[i],
			text: words.join(" "),
			...(ground && { bgcolor: colourOf(colours, ground) }),
			font: {
				...note.font,
				family: fonts.mono,
				size,
				color: ink ? colourOf(colours, ink) : colours.ink,
			},
		};
	});
}

/**
 * Names at the ends of lines, pushed apart so that none covers another.
 * @param {Note[]} notes @param {Axis} upright @param {{height: number}} box @param {number} size
 */
function apart(notes, { range: [low, high] }, { height }, size) {
	const ends = ofKind(notes, "end", "end?", "near");
	const wanted = ends.map(({ y }) => height * (1 - (y - low) / (high - low)));
	const step = Math.min(size * 1.15, height / Math.max(1, ends.length));
	const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b]);
	const got = [...wanted];
	order.forEach((i, n) => (got[i] = Math.max(got[i], n ? got[order[n - 1]] + step : 0)));
	let most = height;
	for (const i of order.reverse()) {
		got[i] = Math.min(got[i], most);
		most = got[i] - step;
	}
	return notes.map((note) => {
		const i = ends.indexOf(note);
		return i < 0 ? {} : { yshift: wanted[i] - got[i] };
	});
}
