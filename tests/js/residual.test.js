// The residual page: steps have names that can be read aloud, and one reading each.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readLens, readStream, stepTitle } from "../../static/js/views/residual-stream.js";
import { numbers } from "./said.js";

const TOKENS = ["<s>", "a", "b"];

/** A Pre-LN decoder of one layer, as the API answers. */
const residual = {
	placement: "pre",
	steps: [
		{ name: "decoder.0.residual.in", wrote: "decoder.embedding.sum" },
		{ name: "decoder.0.residual.after_attention", wrote: "decoder.0.attention.out" },
		{ name: "decoder.0.residual.out", wrote: "decoder.0.feed_forward.out" },
		{ name: "decoder.norm.out", wrote: null },
	],
};

const points = residual.steps.filter(({ wrote }) => wrote);
const each = (value) => points.map((_, s) => TOKENS.map((__, p) => value(s, p)));
const logits = {
	points,
	lens_tokens: each((s) => [`first${s}`, "</s>"]),
	tensors: {
		"lens.top_probability": { data: each(() => [0.75, 0.2]) },
		"lens.rest": { data: each(() => 0.05) },
	},
};

test("a final norm is read as the point before it, which the lens norms itself", () => {
	const { guesses, rest } = readLens(logits, readStream(residual, TOKENS));
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
		points,
		lens_tokens: points.map(() => [["3"]]),
		tensors: {
			"lens.top_probability": { data: points.map(() => [[0.9]]) },
			"lens.rest": { data: points.map(() => [0.1]) },
		},
	};
	const { guesses } = readLens(one, readStream(residual, TOKENS));
	assert.deepEqual(
		guesses[0].map(([guess]) => guess.token),
		["3", "3", "3"],
	);
});

test("steps have names that can be read aloud", () => {
	const titles = readStream(residual, TOKENS).steps.map(stepTitle);
	assert.equal(new Set(titles).size, 4);
	assert.deepEqual(
		titles.map((title) => numbers(title)),
		[[], ["0"], ["0"], []],
	);
	for (const title of titles) assert.doesNotMatch(title, /\w[._]\w/);
});
