// Positions: a place that an address names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { whole } from "../../static/js/address.js";

test("whatever stands in the address, a place is within its bounds", () => {
	assert.deepEqual(
		["3", "-1", "99", "2.6", "x", "", undefined, "1e400", "NaN"].map((text) => whole(text, 0, 9)),
		[3, 0, 9, 3, 0, 0, 0, 9, 0],
	);
});
