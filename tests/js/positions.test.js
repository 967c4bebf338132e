// Positions: the channels that an address names, and those that a reader picks.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	MOST_CHANNELS,
	parseChannels,
	withChannel,
} from "../../static/js/views/positions-channels.js";
import { whole } from "../../static/js/address.js";

test("channels that do not exist are left out, and each is drawn once", () => {
	assert.deepEqual(parseChannels("0,8,8,-1,1e9,x,2.5", 9), [0, 8]);
	assert.deepEqual(parseChannels("", 9), []);
});

test("picking a channel again lets it go, and the oldest makes room", () => {
	assert.deepEqual(withChannel([1, 2], 1), [2]);
	const full = Array.from({ length: MOST_CHANNELS }, (_, i) => i);
	assert.deepEqual(withChannel(full, 99), [...full.slice(1), 99]);
});

test("whatever stands in the address, a place is within its bounds", () => {
	assert.deepEqual(
		["3", "-1", "99", "2.6", "x", "", undefined, "1e400", "NaN"].map((text) => whole(text, 0, 9)),
		[3, 0, 9, 3, 0, 0, 0, 9, 0],
	);
});
