// What a sentence says, apart from how it is worded: tests hold its numbers and its names, and an
// editor may change all the rest.

import assert from "node:assert/strict";

const DIGITS = String.raw`(?:\d+(?:[,\u202f]\d{3})*(?:\.\d+)?|\.\d+)(?:e[−-]?\d+)?`;
const NUMBER = new RegExp(String.raw`(?<![\p{L}\p{N}_]-?)[−+]?${DIGITS}(?!\.?[\p{L}\p{N}_])`, "gu");

/** Finds a part that stands alone: "1" is not found in "1.000", in "21" or in "−1". */
function alone(part, flags = "gu") {
	const before = /^\d/.test(part)
		? String.raw`(?<![\p{L}\p{N}_.−-]|\d[,\u202f])`
		: /^\p{L}/u.test(part)
			? String.raw`(?<![\p{L}\p{N}_])`
			: /^\./.test(part)
				? String.raw`(?<!\d)`
				: "";
	const after = /[\p{L}\p{N}]$/u.test(part) ? String.raw`(?![\p{L}\p{N}_]|[.,\u202f]\d)` : "";
	return new RegExp(before + part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&") + after, flags);
}

/** Longest first, as a short part can stand within a long one. */
const byLength = (names) => [...names].sort((a, b) => b.length - a.length);

/** Where each part stands, or null where one is missing, and the text without them. */
function found(text, parts, flags) {
	const places = [];
	let rest = text;
	for (const part of byLength(parts)) {
		const match = alone(part, flags).exec(rest);
		if (!match) return { places: null, rest };
		const [start, end] = [match.index, match.index + part.length];
		places.push({ part, start, end });
		rest = rest.slice(0, start) + "\0".repeat(part.length) + rest.slice(end);
	}
	return { places, rest };
}

/** All numbers of a text as they are written, in order. */
export const numbers = (text) => [...text.matchAll(NUMBER)].map(([number]) => number);

/** Whether every part stands in the text, in any order, as often as it is given. */
export const has = (text, ...parts) => found(text, parts).places !== null;

/** Asserts that every part stands in the text, in any order, as often as it is given. */
export const holds = (text, ...parts) =>
	assert.ok(has(text, ...parts), `${JSON.stringify(parts)} in ${JSON.stringify(text)}`);

/** Asserts that the parts stand in the text one after another: who looks before what is seen. */
export function inOrder(text, ...parts) {
	let from = 0;
	for (const part of parts) {
		const wanted = alone(part);
		wanted.lastIndex = from;
		assert.ok(
			wanted.test(text),
			`${JSON.stringify(parts)} in this order in ${JSON.stringify(text)}`,
		);
		from = wanted.lastIndex;
	}
}

/**
 * Asserts that the text gives each name its number: all stand after their names, or all before.
 * @param {string} text @param {Record<string, string>} values numbers, with a unit or without
 */
export function gives(text, values) {
	const { places, rest } = found(text, Object.keys(values), "giu");
	const all = [...rest.matchAll(NUMBER)];
	const next = ({ end }) => all.find(({ index }) => index >= end);
	const last = ({ start }) => all.findLast(({ index }) => index < start);
	const right = (one, value) =>
		one?.[0] === value.split(" ")[0] && rest.startsWith(value, one.index);
	const agree = (near) => places?.every((place) => right(near(place), values[place.part]));
	assert.ok(agree(next) || agree(last), `${JSON.stringify(values)} in ${JSON.stringify(text)}`);
}

/** What is left of a text without its numbers and these names: to compare two texts by it. */
export const wording = (text, ...names) =>
	byLength(names)
		.reduce((rest, name) => rest.replace(alone(name), "\0"), text)
		.replace(NUMBER, "\0");
