// Training: the keys that step through it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { intent } from "../../static/js/keys.js";

test("Home and End are the first and the last step", () =>
	assert.deepEqual(
		[intent("Home"), intent("End")],
		[
			["end", -1],
			["end", 1],
		],
	));
