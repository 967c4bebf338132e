// A derivation's numbers are the answer's own, and every operand leads one step further back, to the right place.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	crumb,
	derivationTable,
	leaf,
	picture,
	quantity,
	strips,
	telling,
} from "../../static/js/views/explain.js";
import {
	isLeaf,
	ladder,
	member,
	question,
	read,
	upTo,
	write,
} from "../../static/js/views/explain-trail.js";
import { holds, inOrder } from "./said.js";

const q = [0.5, -1.25, 2, 0.75];
const k = [1.5, 0.5, 1, -2];
const products = q.map((value, i) => value * k[i]);
const sum = products.reduce((a, b) => a + b, 0);
const axes = { source: { labels: ["<s>", "i", "</s>"] }, target: { labels: ["<s>", "je"] } };
const sign = (text) => ({ sign: text });
const number = (label, value, at = null, result = false) => ({
	label,
	name: label,
	value,
	at,
	result,
});

const scores = {
	name: "decoder.2.cross_attention.scores",
	short: "scores",
	at: [1, 0, 2],
	own: null,
	value: sum / 2,
	axes,
	roles: { head: 1, query: 0, key: 2 },
	labels: { query: "<s>", key: "</s>" },
	operands: [
		{
			name: "decoder.2.cross_attention.q",
			short: "q",
			axis: null,
			token: "<s>",
			kind: "activation",
			index: [1, 0, null],
			values: q,
		},
		{
			name: "decoder.2.cross_attention.k",
			short: "k",
			axis: null,
			token: "</s>",
			kind: "activation",
			index: [1, 2, null],
			values: k,
		},
	],
	intermediates: [
		{ name: "products", formula: "x_i y_i", values: products },
		{ name: "sum", formula: "sum of products", values: sum },
	],
	equations: [
		[
			sign("Σ"),
			number("sum", sum),
			sign("÷"),
			number("divisor", 2),
			sign("="),
			number("scores", sum / 2, null, true),
		],
	],
};

const pattern = {
	name: "decoder.0.attention.pattern",
	short: "pattern",
	at: [0, 1, 1],
	own: 1,
	axes,
	operands: [
		{
			name: "decoder.0.attention.masked_scores",
			short: "masked_scores",
			axis: "source",
			token: "je",
			kind: "activation",
			index: [0, 1, null],
			values: [1, 3, null],
		},
	],
	intermediates: [{ name: "exponentials", formula: "exp(score - largest)", values: [0.1, 1, 0] }],
	equations: [],
};

const linear = {
	name: "decoder.2.cross_attention.q",
	short: "q",
	at: [1, 0, 3],
	own: null,
	axes,
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

test("every vector is a strip of bars, and a matrix is none", () => {
	assert.deepEqual(
		strips(scores).map(({ values }) => values),
		[q, k, products],
	);
	assert.deepEqual(
		strips(scores).map(({ whose }) => whose),
		["of <s>", "of </s>", "x_i y_i"],
	);
	assert.deepEqual(
		strips(linear).map(({ values }) => values),
		[q, k],
	);
});

test("a bar is as high as its number, and a masked score is no bar", () => {
	const drawn = picture(strips(pattern)[0], -3, 3);
	assert.deepEqual(
		[...drawn.matchAll(/M([\d.]+) 0h.8V([\d.-]+)/g)].map(([, x, top]) => [Number(x), -Number(top)]),
		[
			[0.1, 1],
			[1.1, 3],
		],
	);
	assert.match(drawn, /viewBox="0 -3 3 6"/);
});

test("the names of tokens are text under the bars, whatever they hold", () => {
	const [strip] = strips({
		...pattern,
		axes: { source: { labels: ["<img src=x>", "&", "</svg>"] } },
	});
	assert.doesNotMatch(picture(strip, -3, 3), /<img|<\/svg>.*<\/svg>/);
});

test("of a softmax the eye goes to the cell's own member, else to the largest", () => {
	assert.equal(telling(pattern), 1);
	assert.equal(telling(scores), 2);
});

test("every operand leads to its own place, whole axes and parts of one alike", () => {
	assert.deepEqual(strips(linear)[0].place(2), {
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

test("a tensor keeps the colour of its quantity", () => {
	assert.equal(quantity("decoder.2.cross_attention.k"), "key");
	assert.equal(quantity("decoder.2.residual.after_attention"), "stream");
	assert.equal(quantity("decoder.0.attention.scores"), "");
});

test("the trail names tokens where there are some, as they are typed", () => {
	inOrder(crumb({ name: scores.name, at: scores.at }, scores), "<s>", "</s>");
	holds(crumb({ name: scores.name, at: scores.at }, scores), "scores");
	holds(crumb({ name: linear.name, at: linear.at }, linear), "q[1, 3]", "<s>");
	assert.equal(
		crumb({ name: "embedding.token", at: [5, 3] }, null, "embedding.token"),
		"embedding.token[5, 3]",
	);
});

test("the table holds every number that is drawn", () => {
	const { head, rows } = derivationTable(scores);
	assert.deepEqual(head, ["", "q", "k", "products"]);
	assert.deepEqual(
		rows.slice(0, 4).map((cells) => cells.slice(1)),
		q.map((value, i) => [value, k[i], products[i]]),
	);
	assert.deepEqual(
		rows.slice(4).map(([label, value]) => [label, value]),
		[
			["sum", sum],
			["divisor", 2],
			["scores", sum / 2],
		],
	);
});
