// Words within a panel. The look of a note says how it gives way where room is
// scarce, see `NoteKind` in app/figures/meta.py, and its colour.

import { unit } from "./axis.js";
import { colourOf } from "../draw/palette.js";

const SERVED = 13; // pixels of the type for which a figure as it is served states its shifts

/** The notes of a figure, each with its look. @param {Layout} layout @returns {Note[]} */
export const looking = ({ annotations = [], meta }) =>
	annotations.map((note, i) => ({ ...note, look: meta.notes?.[i] ?? undefined }));

/** @param {Note[]} notes @param {...string} kinds */
export const ofKind = (notes, ...kinds) =>
	notes.filter(({ look }) => look && kinds.includes(look.kind));

/** @type {NotesIn} */
export function notesIn(notes, level, upright, box, line, { colours, wide, summed }) {
	const { tick: size, fonts } = colours;
	const [across, up] = [unit(level, box.width), unit(upright, box.height)];
	const summing = up >= line * 1.1 && summed;
	const crowded = box.height < ofKind(notes, "end").length * line * 0.9;
	const kept = notes.filter(
		({ look }) => (look?.kind !== "sum" || summing) && !(look?.spare && crowded),
	);
	const moved = apart(kept, upright, box, size);
	return kept.map((note, i) => {
		const { kind, until, role, ground, tokens: names } = note.look ?? {};
		const words = note.text.split(" ");
		if (kind === "cell" && wide(note.text) > across - 4) words.length = 1;
		while (
			until !== undefined &&
			words.length &&
			wide(words.join(" "), { names }) > Math.abs(until - note.x) * across
		)
			note.xanchor === "right" ? words.shift() : words.pop();
		return {
			showarrow: false,
			borderpad: 0,
			...note,
			...(note.yshift && { yshift: (note.yshift * size) / SERVED }),
			...moved[i],
			text: words.join(" "),
			...(ground && { bgcolor: colourOf(colours, ground) }),
			font: {
				...note.font,
				family: names ? fonts.mono : fonts.sans,
				size,
				color: role ? colourOf(colours, role) : colours.ink,
			},
		};
	});
}

/**
 * Names at the ends of lines, pushed apart so that none covers another.
 * @param {Note[]} notes @param {Axis} upright @param {{height: number}} box @param {number} size
 */
function apart(notes, { range: [low, high] }, { height }, size) {
	const ends = ofKind(notes, "end", "near");
	const wanted = ends.map(({ y }) => height * (1 - (y - low) / (high - low)));
	const step = Math.min(size * 1.15, height / Math.max(1, ends.length));
	const order = [...wanted.keys()].sort((a, b) => wanted[a] - wanted[b]);
	const got = [...wanted];
	let least = 0;
	for (const i of order) {
		got[i] = Math.max(got[i], least);
		least = got[i] + step;
	}
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
