// Tokens as people must see them, with nothing invisible, and numbers.

import { say } from "../words.js";

/** @type {State} */
const NAMED = {
	"\u00a0": "⍽",
	"\u00ad": "⟨SHY⟩",
	"\u061c": "⟨ALM⟩",
	"\u200b": "⟨ZWSP⟩",
	"\u200c": "⟨ZWNJ⟩",
	"\u200d": "⟨ZWJ⟩",
	"\u200e": "⟨LRM⟩",
	"\u200f": "⟨RLM⟩",
	"\u2028": "⟨LS⟩",
	"\u2029": "⟨PS⟩",
	"\u202a": "⟨LRE⟩",
	"\u202b": "⟨RLE⟩",
	"\u202c": "⟨PDF⟩",
	"\u202d": "⟨LRO⟩",
	"\u202e": "⟨RLO⟩",
	"\u2060": "⟨WJ⟩",
	"\u2066": "⟨LRI⟩",
	"\u2067": "⟨RLI⟩",
	"\u2068": "⟨FSI⟩",
	"\u2069": "⟨PDI⟩",
	"\ufeff": "⟨BOM⟩",
	"\t": "⇥",
	"\n": "⏎",
	"\r": "␍",
	"\u007f": "␡",
};

const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SPACE_AT_AN_EDGE = /(?<![^\p{C}\p{Z}]) | (?![^\p{C}\p{Z}])/gu;

/**
 * Control, bidirectional and space characters get a visible sign, but for one space between two
 * signs, which is seen as it is.
 * @param {string} token
 */
export const visible = (token) =>
	String(token)
		.replace(SPACE_AT_AN_EDGE, "␣")
		.replace(
			/(?! )[\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu,
			(c) => NAMED[c] ?? control(c),
		);

/** @param {string} c */
function control(c) {
	const code = c.codePointAt(0) ?? 0;
	return code < 0x20
		? String.fromCharCode(0x2400 + code)
		: `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/**
 * Three significant digits, as people write them.
 * @param {number} value @param {number} [digits]
 */
export function significant(value, digits = 3) {
	if (!Number.isFinite(value)) return say("masked");
	const [size, sign] = [Math.abs(value), value < 0 ? "−" : ""];
	if (Number.isInteger(size) && size < 1e5) return sign + size;
	if (size < 1e5 && size >= 1e-3)
		return sign + size.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
	const [mantissa, power] = size.toExponential(digits - 1).split("e");
	const raised = [...power.replace(/^[-+]/, "")].map((digit) => RAISED[Number(digit)]).join("");
	return `${sign}${mantissa} × 10${power[0] === "-" ? "⁻" : ""}${raised}`;
}

/**
 * A probability as it is printed in a cell: .37, 1, 0.
 * @param {number} value @param {number} [digits]
 */
export function weight(value, digits = 2) {
	const rounded = value.toFixed(digits);
	return Number(rounded) === 0 ? "0" : Number(rounded) === 1 ? "1" : rounded.replace(/^0/, "");
}
