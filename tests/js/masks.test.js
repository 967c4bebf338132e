// A painted mask comes back from its address.

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStrokes, turn, writeStrokes } from "../../static/js/views/masks-strokes.js";

test("every set of painted cells comes back from its address", () => {
	for (let bits = 0; bits < 512; bits += 1) {
		const all = [...Array(9).keys()].filter((i) => bits & (1 << i));
		const cells = new Set(all.map((i) => `${Math.floor(i / 3)}.${i % 3}`));
		assert.deepEqual(parseStrokes(writeStrokes(cells)), cells);
	}
});

test("neighbours in a row are written as one span, and a cell named twice is not painted", () => {
	assert.equal(writeStrokes(new Set(["3.6", "2.5", "3.4", "3.5", "10.0"])), "2.5,3.4-6,10.0");
	assert.deepEqual(parseStrokes("2.5,3.4-6,3.5"), new Set(["2.5", "3.4", "3.6"]));
	assert.deepEqual([parseStrokes(""), parseStrokes("none")], [new Set(), new Set()]);
	assert.equal(writeStrokes(new Set()), "none");
});

test("a cell that is turned over twice is as it was", () => {
	const cells = new Set(["0.1"]);
	turn(cells, "2.2");
	assert.deepEqual(cells, new Set(["0.1", "2.2"]));
	turn(cells, "0.1");
	turn(cells, "2.2");
	assert.deepEqual(cells, new Set());
});
