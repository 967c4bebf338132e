// A derivation's arithmetic is the answer's own, and every operand leads one step further back, to the right place.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { crumb, derivation, derivationTable, leaf, quantity, RULES, shortName, telling } from "../../static/js/views/explain-steps.js";
import { bars, memberAt, reach } from "../../static/js/views/explain-strip.js";
import { deeper, isLeaf, ladder, member, question, read, upTo, write } from "../../static/js/views/explain-trail.js";
import { PALETTE, softmax } from "./attention-example.js";
import { holds, inOrder } from "./said.js";

const q = [0.5, -1.25, 2, 0.75];
const k = [1.5, 0.5, 1, -2];
const products = q.map((value, i) => value * k[i]);
const sum = products.reduce((a, b) => a + b, 0);
const axes = { source: { labels: ["<s>", "i", "</s>"] }, target: { labels: ["<s>", "je"] } };

const scores = {
  name: "decoder.2.cross_attention.scores", at: [1, 0, 2], rule: "scaled_dot", formula: "q k^T / sqrt(d_head)", sentence: "", value: sum / 2, axes,
  roles: { head: 1, query: 0, key: 2 }, labels: { query: "<s>", key: "</s>" },
  operands: [
    { name: "decoder.2.cross_attention.q", kind: "activation", index: [1, 0, null], shape: [4], values: q },
    { name: "decoder.2.cross_attention.k", kind: "activation", index: [1, 2, null], shape: [4], values: k },
  ],
  intermediates: [
    { name: "products", formula: "x_i y_i", values: products },
    { name: "sum", formula: "sum of products", values: sum },
    { name: "divisor", formula: "sqrt(d_head)", values: 2 },
    { name: "value", formula: "sum / divisor", values: sum / 2 },
  ],
};

const row = [1, 3, null];
const exponentials = [Math.exp(-2), 1, 0];
const pattern = {
  name: "decoder.0.attention.pattern", at: [0, 1, 1], rule: "softmax", formula: "softmax", sentence: "", value: softmax(row)[1], axes,
  roles: { head: 0, query: 1, key: 1 }, labels: { query: "je", key: "je" },
  operands: [{ name: "decoder.0.attention.masked_scores", kind: "activation", index: [0, 1, null], shape: [3], values: row }],
  intermediates: [
    { name: "largest", formula: "max of the row", values: 3 },
    { name: "exponentials", formula: "exp(score - largest)", values: exponentials },
    { name: "own", formula: "this cell's exponential", values: 1 },
    { name: "sum", formula: "sum of the row", values: 1 + Math.exp(-2) },
    { name: "value", formula: "own / sum", values: softmax(row)[1] },
  ],
};

const linear = {
  name: "decoder.2.cross_attention.q", at: [1, 0, 3], rule: "linear", formula: "x W_Q + b_Q", sentence: "", value: 0, axes, roles: { head: 1, position: 0, head_channel: 3 }, labels: { position: "<s>" },
  operands: [
    { name: "decoder.2.residual.after_attention", kind: "activation", index: [0, null], shape: [4], values: q },
    { name: "decoder.2.cross_attention.query.weight", kind: "weight", index: [null, 7], shape: [4], values: k },
    { name: "decoder.2.cross_attention.query.bias", kind: "weight", index: [7], shape: [], values: 0.25 },
  ],
  intermediates: [{ name: "products", formula: "x_i y_i", values: products }, { name: "sum", formula: "", values: sum }, { name: "value", formula: "", values: sum + 0.25 }],
};

const numbers = (equation) => equation.filter((part) => "value" in part).map((part) => part.value);

test("every short form is that of a rule of the model", () => {
  const folder = new URL("../../model/activations/", import.meta.url);
  const source = readdirSync(folder)
    .filter((file) => file.endsWith(".py"))
    .map((file) => readFileSync(new URL(file, folder), "utf8"))
    .join("\n");
  const rules = [...source.matchAll(/^@rule\ndef (\w+)\(|Rule\("(\w+)"/gm)].map(([, decorated, named]) => decorated ?? named);
  assert.ok(RULES.length > 10 && rules.length > RULES.length);
  for (const rule of RULES) assert.ok(rules.includes(rule), rule);
});

test("a rule without a short form is shown step by step, and a matrix is no strip of bars", () => {
  const { strips, equations } = derivation({
    ...linear, rule: "turned", value: 0.5,
    operands: [linear.operands[0], { name: "decoder.2.attention.query.weight", kind: "weight", index: [null, [4, 8]], shape: [4, 4], values: [q, q, q, q] }],
    intermediates: [{ name: "vector", formula: "x W + b of this head", values: k }, { name: "angle", formula: "p w_i", values: 0.25 }, { name: "value", formula: "first cos(angle)", values: 0.5 }],
  });
  assert.deepEqual(strips.map((strip) => strip.values), [q, k]);
  assert.deepEqual(equations.map((equation) => equation[0].sign), ["p w_i =", "first cos(angle) ="]);
  assert.deepEqual(numbers(equations[1]), [0.5]);
});

test("a score is shown as the sum of products over sqrt(d_head), with q and k as bars", () => {
  const shown = derivation(scores);
  assert.deepEqual(shown.strips.map((strip) => strip.values), [q, k, products]);
  assert.deepEqual(numbers(shown.equations[0]), [sum, 2, sum / 2]);
  assert.equal(shown.equations[0][1].value / shown.equations[0][3].value, shown.equations[0][5].value);
  assert.deepEqual(shown.strips.map((strip) => strip.token), ["<s>", "</s>", null]);
});

test("a weight is its own exponential over the row's sum, and the row's masked score is no bar", () => {
  const shown = derivation(pattern);
  const [, [own, , total, , value]] = shown.equations;
  assert.equal(own.value / total.value, value.value);
  assert.deepEqual(numbers(shown.equations[0]), [3, 3, 1]);
  assert.deepEqual(shown.strips[0].places[2], { name: "decoder.0.attention.masked_scores", at: [0, 1, 2] });
  assert.equal(telling(shown), 1);
  const drawn = bars(shown.strips[0], 1, { width: 300, height: 60, palette: PALETTE });
  const filled = drawn.shapes.filter((shape) => shape.shape === "rect" && [PALETTE.signed[1], PALETTE.signed.at(-2)].includes(shape.fill));
  assert.equal(filled.length, 2);
});

test("every operand leads to its own place, whole axes and parts of one alike", () => {
  assert.deepEqual(member(linear.operands[0], 2), { name: "decoder.2.residual.after_attention", at: [0, 2] });
  assert.deepEqual(member({ name: "w", index: [[32, 64], 5] }, 3), { name: "w", at: [35, 5] });
  assert.deepEqual(member(linear.operands[2], 0), { name: "decoder.2.cross_attention.query.bias", at: [7] });
});

test("the trail ends at a weight, whose value stands in the answer that used it", () => {
  assert.deepEqual(leaf(linear, { name: "decoder.2.cross_attention.query.weight", at: [2, 7] }), { kind: "weight", value: 1 });
  assert.deepEqual(leaf(linear, { name: "decoder.2.cross_attention.query.bias", at: [7] }), { kind: "weight", value: 0.25 });
  assert.equal(leaf(linear, { name: "decoder.2.cross_attention.query.weight", at: [2, 8] }), null);
  assert.ok(isLeaf("embedding.token") && isLeaf("decoder.attention.mask") && isLeaf("patches") && isLeaf("unembedding_bias") && !isLeaf("encoder.embedding.token") && !isLeaf("decoder.1.norm2.scale"));
});

test("a trail survives the address unchanged and needs no escaping there", () => {
  const trail = [{ name: "decoder.2.cross_attention.pattern", at: [1, 0, 2] }, { name: "decoder.2.cross_attention.q", at: [1, 0, 3] }];
  assert.deepEqual(read(write(trail)), trail);
  assert.equal(new URLSearchParams({ explain: write(trail) }).toString(), `explain=${write(trail)}`);
  assert.deepEqual(read(write(deeper(trail, { name: "embedding.token", at: [5, 3] }))).length, 3);
  assert.deepEqual(upTo(trail, 0), trail.slice(0, 1));
  assert.deepEqual(upTo(trail.slice(0, 1), -1), []);
});

test("what is no trail is left out, never asked", () => {
  for (const text of ["", null, "<img>-1", "a b-1", "decoder.0.attention.q", "decoder.0.attention.q-1-x", "x-99999999999"]) assert.deepEqual(read(text), []);
});

test("a pattern is explained together with the scores it was made of", () => {
  const place = { name: "decoder.0.attention.pattern", at: [0, 1, 1] };
  assert.deepEqual(ladder(place).map(({ name }) => name.split(".").at(-1)), ["scores", "masked_scores", "pattern"]);
  assert.deepEqual(ladder({ name: "decoder.0.attention.q", at: [0, 1, 1] }), [{ name: "decoder.0.attention.q", at: [0, 1, 1] }]);
  assert.deepEqual(question(place), { name: place.name, at: "0,1,1" });
});

test("names are short in formulas and keep the quantity's colour", () => {
  assert.equal(shortName("decoder.2.cross_attention.query.weight"), "W_Q");
  assert.equal(shortName("encoder.0.feed_forward.output.bias"), "b_2");
  assert.equal(shortName("decoder.2.cross_attention.masked_scores"), "masked_scores");
  assert.equal(quantity("decoder.2.cross_attention.k"), "key");
  assert.equal(quantity("decoder.2.residual.after_attention"), "stream");
  assert.equal(quantity("decoder.0.attention.scores"), null);
});

test("the trail names tokens where there are some, as they are typed", () => {
  inOrder(crumb({ name: scores.name, at: scores.at }, scores), "<s>", "</s>");
  holds(crumb({ name: scores.name, at: scores.at }, scores), "scores");
  holds(crumb({ name: linear.name, at: linear.at }, linear), "q[1, 3]", "<s>");
});

test("the table holds every number that is drawn", () => {
  const { head, rows } = derivationTable(derivation(scores));
  assert.deepEqual(head, ["", "q", "k", "products"]);
  assert.deepEqual(rows.slice(0, 4).map((cells) => cells.slice(1)), q.map((value, i) => [value, k[i], products[i]]));
  assert.deepEqual(rows.slice(4).map(([label, value]) => [label, value]), [["sum", sum], ["divisor", 2], ["scores", sum / 2]]);
});

test("the bar under a point is the bar drawn there", () => {
  const strip = derivation(scores).strips[0];
  const drawn = bars(strip, 0, { width: 400, height: 60, palette: PALETTE, limit: reach(strip) });
  const filled = drawn.shapes.filter((shape) => shape.fill === PALETTE.query);
  assert.equal(filled.length, 4);
  filled.forEach((bar, i) => assert.equal(memberAt(strip, bar.x + bar.width / 2, 400, PALETTE.tick), i));
});
