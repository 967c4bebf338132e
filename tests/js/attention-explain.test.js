// Every operand of a derivation leads one step further back, to the right place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { leaf, rooted } from "../../static/js/views/explain.js";
import {
	isLeaf,
	ladder,
	member,
	question,
	read,
	upTo,
	write,
} from "../../static/js/views/explain-trail.js";

const q = [0.5, -1.25, 2, 0.75];
const k = [1.5, 0.5, 1, -2];
const linear = {
	name: "decoder.2.cross_attention.q",
	short: "q",
	at: [1, 0, 3],
	own: null,
	roles: { head: 1, position: 0, head_channel: 3 },
	labels: { position: "<s>" },
	operands: [
		{
			name: "decoder.2.residual.after_attention",
			short: "residual.after_attention",
			axis: null,
			token: "<s>",
			kind: "activation",
			index: [0, null],
			values: q,
		},
		{
			name: "decoder.2.cross_attention.query.weight",
			short: "W_Q",
			axis: null,
			token: null,
			kind: "weight",
			index: [null, 7],
			values: k,
		},
		{
			name: "decoder.2.cross_attention.query.bias",
			short: "b_Q",
			axis: null,
			token: null,
			kind: "weight",
			index: [7],
			values: 0.25,
		},
		{
			name: "decoder.2.attention.query.weight",
			short: "W_Q",
			axis: null,
			token: null,
			kind: "weight",
			index: [null, [4, 8]],
			values: [q, k],
		},
	],
	intermediates: [],
	equations: [],
};

test("every operand leads to its own place, whole axes and parts of one alike", () => {
	assert.deepEqual(member(linear.operands[0], 2), {
		name: "decoder.2.residual.after_attention",
		at: [0, 2],
	});
	assert.deepEqual(member({ name: "w", index: [[32, 64], 5] }, 3), { name: "w", at: [35, 5] });
});

test("the trail ends at a weight, whose value stands in the answer that used it", () => {
	assert.deepEqual(leaf(linear, { name: "decoder.2.cross_attention.query.weight", at: [2, 7] }), {
		kind: "weight",
		short: "W_Q",
		value: 1,
	});
	assert.deepEqual(leaf(linear, { name: "decoder.2.cross_attention.query.bias", at: [7] }), {
		kind: "weight",
		short: "b_Q",
		value: 0.25,
	});
	assert.equal(leaf(linear, { name: "decoder.2.cross_attention.query.weight", at: [2, 8] }), null);
	assert.ok(
		isLeaf("embedding.token") &&
			isLeaf("decoder.attention.mask") &&
			isLeaf("patches") &&
			isLeaf("unembedding_bias") &&
			!isLeaf("encoder.embedding.token") &&
			!isLeaf("decoder.1.norm2.scale"),
	);
});

test("a trail survives the address unchanged and needs no escaping there", () => {
	const trail = [
		{ name: "decoder.2.cross_attention.pattern", at: [1, 0, 2] },
		{ name: "decoder.2.cross_attention.q", at: [1, 0, 3] },
	];
	assert.deepEqual(read(write(trail)), trail);
	assert.equal(
		new URLSearchParams({ explain: write(trail) }).toString(),
		`explain=${write(trail)}`,
	);
	assert.deepEqual(read(write([...trail, { name: "embedding.token", at: [5, 3] }])).length, 3);
	assert.deepEqual(upTo(trail, 0), trail.slice(0, 1));
	assert.deepEqual(upTo(trail.slice(0, 1), -1), []);
});

test("an address opens on a number that no map shows, and on no other cell of the map", () => {
	const cell = { name: "decoder.2.cross_attention.pattern", at: [1, 0, 2] };
	const other = { ...cell, at: [0, 0, 2] };
	const neuron = { name: "decoder.2.feed_forward.post", at: [1, 33] };
	const next = { name: "decoder.2.feed_forward.out", at: [1, 0] };
	assert.deepEqual(rooted(write([cell, next]), cell), [cell, next]);
	assert.deepEqual(rooted(write([other, next]), cell), [cell]);
	assert.deepEqual(rooted(write([neuron, next]), cell), [neuron, next]);
	assert.deepEqual(rooted("", cell), [cell]);
});

test("what is no trail is left out, never asked", () => {
	for (const text of [
		"",
		null,
		"<img>-1",
		"a b-1",
		"decoder.0.attention.q",
		"decoder.0.attention.q-1-x",
		"x-99999999999",
	])
		assert.deepEqual(read(text), []);
});

test("a pattern is explained together with the scores it was made of", () => {
	const place = { name: "decoder.0.attention.pattern", at: [0, 1, 1] };
	assert.deepEqual(
		ladder(place).map(({ name }) => name.split(".").at(-1)),
		["scores", "masked_scores", "pattern"],
	);
	assert.deepEqual(ladder({ name: "decoder.0.attention.q", at: [0, 1, 1] }), [
		{ name: "decoder.0.attention.q", at: [0, 1, 1] },
	]);
	assert.deepEqual(question(place), { name: place.name, at: "0,1,1" });
});
