// The residual page: every step of a stream has one reading.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readLens } from "../../static/js/views/residual-lines.js";

const TOKENS = ["<s>", "a", "b"];

/** A Pre-LN decoder of one layer: its steps, and the points before its final norm. */
const stream = { tokens: TOKENS, titles: ["embedding", "self-attention", "ffn", "final norm"] };
const points = stream.titles.slice(0, -1);
const each = (value) => points.map((_, s) => TOKENS.map((__, p) => value(s, p)));
const logits = {
	lens_tokens: each((s) => [`first${s}`, "</s>"]),
	tensors: {
		"lens.top_probability": { data: each(() => [0.75, 0.2]) },
		"lens.rest": { data: each(() => 0.05) },
	},
};

test("a final norm is read as the point before it, which the lens norms itself", () => {
	const { guesses, rest } = readLens(logits, stream);
	assert.equal(guesses.length, 4);
	assert.deepEqual(guesses[3], guesses[2]);
	assert.deepEqual(guesses[1][2], [
		{ token: "first1", probability: 0.75 },
		{ token: "</s>", probability: 0.2 },
	]);
	assert.deepEqual(rest[3], [0.05, 0.05, 0.05]);
});

test("one answer of all positions is every position's", () => {
	const one = {
		lens_tokens: points.map(() => [["3"]]),
		tensors: {
			"lens.top_probability": { data: points.map(() => [[0.9]]) },
			"lens.rest": { data: points.map(() => [0.1]) },
		},
	};
	const { guesses } = readLens(one, stream);
	assert.deepEqual(
		guesses[0].map(([guess]) => guess.token),
		["3", "3", "3"],
	);
});
