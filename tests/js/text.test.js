// Tokens are shown as typed: nothing invisible, nothing taken for markup; numbers as they are read aloud.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../static/js/draw/table-text.js";
import { significant, visible, weight } from "../../static/js/draw/text.js";

test("no character of a visible token changes direction, breaks a line or hides", () => {
	const everything =
		Array.from({ length: 0x3001 }, (_, i) => String.fromCharCode(i)).join("") + "\ufeff";
	assert.doesNotMatch(
		visible(everything),
		/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]/u,
	);
});

test("neither does a filler, a variation selector or a tag character hide", () => {
	const fillers = "\u034f\u115f\u2800\u3164\ufe00\ufe0f\u{e0000}\u{e007f}";
	const said = ["034F", "115F", "2800", "3164", "FE00", "FE0F", "E0000", "E007F"];
	assert.equal(visible(fillers), said.map((code) => `⟨U+${code}⟩`).join(""));
});

test("what can be seen is not touched", () =>
	assert.equal(visible("j'ai été 😀 שלום </s>"), "j'ai été 😀 שלום </s>"));

test("a space is seen between two signs, and gets a sign of its own where it is not", () => {
	assert.deepEqual(["red ellipse", " the", "the ", " ", "a  b", "a \u202eb"].map(visible), [
		"red ellipse",
		"␣the",
		"the␣",
		"␣",
		"a␣␣b",
		"a␣⟨RLO⟩b",
	]);
});

test("numbers keep their sign, say when they are masked, and turn to powers when they must", () => {
	const told = [-1.23456, 0, 0.00001234, 123456].map((value) => significant(value));
	assert.deepEqual(told, ["−1.23", "0", "1.23 × 10⁻⁵", "1.23 × 10⁵"]);
	assert.match(significant(Number.NaN), /^\p{L}+$/u);
});

test("a weight is as long as its cell allows", () =>
	assert.deepEqual(
		[0, 1, 0.374, 0.996, 0.004].map((p) => weight(p)),
		["0", "1", ".37", "1", "0"],
	));

test("a token that looks like a formula does not run in a spreadsheet", () => {
	const text = csv(
		{
			caption: "",
			head: ["query", "key"],
			rows: [
				["=1+1", 0.5],
				['a "b", c', null],
			],
		},
		["where from"],
	);
	assert.equal(text, '# where from\r\nquery,key\r\n\'=1+1,0.5\r\n"a ""b"", c",');
});
