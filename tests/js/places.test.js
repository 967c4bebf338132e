import assert from "node:assert/strict";
import { test } from "node:test";

import { placed } from "../../static/js/views/places.js";

const LABELS = ["<s>", "<mask>", "you", "<mask>", "</s>"];

test("a place is a number within the text, or the first blank; without one the first word", () => {
	assert.deepEqual(
		["0", "3", "99", "-4", "2.9", "nonsense", ""].map((value) => placed(value, LABELS)),
		[0, 3, 4, 0, 2, 0, 0],
	);
	assert.equal(placed("blank", LABELS), 1);
	assert.equal(placed("blank", ["<s>", "you", "see"]), 1);
	assert.equal(placed("blank", ["<s>"]), 0);
});

test("repeat is the last token that stood in the text before", () => {
	assert.equal(placed("repeat", ["<s>", "a", "b", "a", "c"]), 3);
	assert.equal(placed("repeat", ["<s>", "a", "b"]), 1);
	assert.equal(placed("repeat", ["<s>"]), 0);
});
