// The generate page: what it asks, and which step of an answer it shows.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
	call,
	whose,
	shown,
	stepCount,
	stepIndex,
	stepValue,
} from "../../static/js/views/generate-question.js";

test("a question holds only what its strategy uses, so the same text has one address", () => {
	const state = {
		model: "translator",
		source: "hello",
		strategy: "greedy",
		temperature: "2",
		top_k: "3",
		beams: "4",
		seed: "1",
		show: "step",
		step: "2",
	};
	assert.deepEqual(
		Object.entries(call(state)[1]).filter(([, value]) => value !== undefined),
		[
			["model", "translator"],
			["source", "hello"],
			["strategy", "greedy"],
		],
	);
	assert.equal(call({ ...state, strategy: "beam" })[1].beams, "4");
	assert.equal(call({ ...state, strategy: "sample" })[1].temperature, "2");
	assert.equal(call({ ...state, strategy: "sample" })[1].beams, undefined);
});

test("steps are counted from 1 in the address, the last is the end, and nonsense is the first", () => {
	assert.deepEqual(
		["1", "3", "end", "99", "-4", "x"].map((value) => stepIndex(value, 5)),
		[0, 2, 4, 4, 0, 0],
	);
	assert.deepEqual(
		[0, 3, 4].map((index) => stepValue(index, 5)),
		["1", "4", "end"],
	);
});

test("a picture that the answer cannot give becomes the picture of one step", () => {
	assert.equal(shown({ tree: {} }, "tree"), "tree");
	assert.equal(shown({}, "tree"), "step");
	assert.equal(shown({}, "forcing"), "step");
	assert.equal(stepCount({ tree: { kept: [[1], [2]] }, steps: [1, 2, 3] }, "tree"), 2);
});

test("a layer and a head that the model has not are its last, and the mean has no head", () => {
	const config = { n_decoder_layers: 3, n_heads: 4 };
	assert.deepEqual(whose({ layer: "9", head: "9" }, config), { layer: 2, head: 3 });
	assert.deepEqual(whose({ layer: "0", head: "mean" }, config), { layer: 0, head: "" });
});
