// What the attention page means by its address, and what its token lines join.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, places, question, tileOf } from "../../static/js/views/attention-choice.js";
import { arrange, holding, tokenAt } from "../../static/js/views/attention-lines.js";

const GROUPS = [
	{ id: "encoder.attention", stack: "encoder", kind: "self", layers: 2 },
	{ id: "decoder.attention", stack: "decoder", kind: "self", layers: 3 },
	{ id: "decoder.cross_attention", stack: "decoder", kind: "cross", layers: 3 },
];
const META = {
	queries: ["&lt;s&gt;", "&lt;mask&gt;", "ai"],
	keys: ["i", "am"],
	strongest: [1, 0, 1],
};

test("an address that no model has means the nearest head that there is", () => {
	const { id, layer, head, stage } = chosen(
		{ kind: "cross", stack: "encoder", layer: "9", head: "-1", stage: "what" },
		GROUPS,
		4,
	);
	assert.deepEqual([id, layer, head, stage], ["decoder.cross_attention", 2, 0, "pattern"]);
	assert.equal(
		chosen({ kind: "rows", stack: "encoder", layer: "0", head: "all" }, GROUPS, 4).head,
		null,
	);
	assert.equal(
		chosen({ kind: "self", stack: "decoder", layer: "1", head: "3", stage: "scores" }, GROUPS, 4)
			.stage,
		"scores",
	);
});

test("a query and a key stay within the map, and without a key the strongest is read", () => {
	assert.deepEqual(places({ query: "99", key: "99" }, META), { query: 2, key: 1, read: 1 });
	assert.deepEqual(places({ query: "0", key: "" }, META), { query: 0, key: null, read: 1 });
	assert.deepEqual(places({ query: "blank", key: "0" }, META), { query: 1, key: 0, read: 0 });
});

test("one head is asked for alone, and found among all", () => {
	const choice = chosen(
		{ kind: "self", stack: "decoder", layer: "1", head: "1", stage: "scores" },
		GROUPS,
		2,
	);
	const { head, layer, stage } = question({ model: "m", source: "i" }, choice, "pattern");
	assert.deepEqual([head, layer, stage], [1, 1, "pattern"]);
	const tiles = [0, 1].map((each) => [
		"",
		0,
		each,
		"",
		{ kind: "self", stack: "decoder", layer: 1, head: each },
	]);
	const traces = [
		{ meta: { tiles: [["", 0, 0, "", { kind: "cross", stack: "decoder", layer: 1, head: 1 }]] } },
		{ meta: { tiles } },
	];
	assert.equal(tileOf(traces, choice).tile, tiles[1]);
	assert.equal(tileOf(traces, { ...choice, layer: 7 }), undefined);
});

test("lines go to the keys before which less than the share lies", () => {
	assert.deepEqual(holding([0.6, 0, 0.95, 1], 0.7), [0, 1]);
	assert.deepEqual(holding([1, 1], 0.7), []);
	assert.deepEqual(holding([1, 1], 1), []);
});

test("a point on the lines is a query on the left and a key on the right", () => {
	const content = {
		queries: ["&lt;s&gt;", "j'", "ai", "froid"],
		keys: ["a", "b", "c", "d", "e"],
		heads: [],
	};
	const layout = arrange(content, 460, 420, 13, 10);
	const y = layout.top + 3.5 * layout.row;
	assert.deepEqual(tokenAt(layout, 5, y), { side: "query", index: 3 });
	assert.deepEqual(tokenAt(layout, layout.to + 5, y), { side: "key", index: 3 });
	assert.equal(tokenAt(layout, 5, layout.top + 4.5 * layout.row), null);
	assert.equal(layout.queries[0], "<s>");
	assert.ok(
		layout.from < layout.to && layout.to < layout.bars && layout.bars + layout.barWidth < 460,
	);
});
