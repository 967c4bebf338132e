// Every operand of a derivation leads one step further back, to the right place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rooted } from "../../static/js/views/explain.js";
import { member, read, upTo, write } from "../../static/js/views/explain-trail.js";

test("every operand leads to its own place, whole axes and parts of one alike", () => {
	const stream = { name: "decoder.2.residual.after_attention", index: [0, null] };
	assert.deepEqual(member(stream, 2), { name: stream.name, at: [0, 2] });
	assert.deepEqual(member({ name: "w", index: [[32, 64], 5] }, 3), { name: "w", at: [35, 5] });
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
