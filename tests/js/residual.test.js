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

test("each guess has the probability of its own step, position and rank", () => {
	const share = (s, p, rank) => (1 + s + 3 * p + 9 * rank) / 100;
	const own = {
		lens_tokens: each((s, p) => [`${s} ${p} 0`, `${s} ${p} 1`]),
		tensors: {
			"lens.top_probability": { data: each((s, p) => [share(s, p, 0), share(s, p, 1)]) },
			"lens.rest": { data: each((s, p) => 1 - share(s, p, 0) - share(s, p, 1)) },
		},
	};
	const { guesses, rest } = readLens(own, stream);
	for (const s of points.keys())
		for (const p of TOKENS.keys()) {
			for (const rank of [0, 1])
				assert.deepEqual(
					guesses[s][p][rank],
					{ token: `${s} ${p} ${rank}`, probability: share(s, p, rank) },
					`guess ${rank} after ${stream.titles[s]} at position ${p}`,
				);
			assert.equal(rest[s][p], 1 - share(s, p, 0) - share(s, p, 1));
		}
});
