import assert from "node:assert/strict";
import { test } from "node:test";

import { said } from "../../static/js/views/overview-said.js";

/** An answer of /logits about `axes`, each place saying its own number. */
const output = (axes, n, expected = []) => ({
	axes,
	expected,
	top_tokens: Array.from({ length: n }, (_, i) => [`t${i}`]),
	tensors: {
		top_probability: { data: Array.from({ length: n }, (_, i) => [i / 10]) },
		expected_probability: { data: expected.map((_, i) => i / 5) },
	},
});

test("where something comes next, that is what is said, with its own probability", () => {
	assert.deepEqual(said(output({ target: { labels: ["<s>", "a"] } }, 2, ["a", "</s>"])), [
		{ token: "a", chance: 0 },
		{ token: "</s>", chance: 0.2 },
	]);
});

test("of a text with blanks the blanks are asked, of one without nothing is", () => {
	assert.deepEqual(said(output({ text: { labels: ["<s>", "<mask>", "you", "<mask>"] } }, 4)), [
		{ token: "t1", chance: 0.1 },
		{ token: "t3", chance: 0.3 },
	]);
	assert.deepEqual(said(output({ text: { labels: ["<s>", "you"] } }, 2)), []);
});

test("of an image and of a row [CLS] is asked, the first; of object queries each", () => {
	assert.deepEqual(said(output({ image: { labels: ["[CLS]", "1,1"] } }, 2)), [
		{ token: "t0", chance: 0 },
	]);
	assert.deepEqual(said(output({ row: { labels: ["[CLS]", "island"] } }, 2)), [
		{ token: "t0", chance: 0 },
	]);
	const asked = { image: { labels: ["1,1", "1,2"] }, queries: { labels: ["query 1", "query 2"] } };
	assert.deepEqual(
		said(output(asked, 2)).map(({ token }) => token),
		["t0", "t1"],
	);
});
