// The decoding page: every text is drawn and can be pointed at; the filter's bars are those of the answer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { filter } from "../../static/js/views/decoding-filter.js";
import { prefixes, tree } from "../../static/js/views/decoding-tree.js";
import { has, holds, inOrder, wording } from "./said.js";

const colours = { ...Object.fromEntries(["paper", "ink", "inkSoft", "rule", "ruleStrong", "stream", "select"].map((name) => [name, `${name}!`])), heads: ["", "", "", "", "", "greedy!"], tick: 13 };
const space = { width: 640, height: 300, colours, state: {} };
const answer = {
  axes: { text: { size: 4, labels: ["aa", "ab", "ba", "bb"] }, token: { labels: ["c'", "<img>"] } },
  tensors: { probability: { data: [0.3, 0.3, 0.02, 0.38] }, sampled: { data: [0.28, 0.31, 0.03, 0.38] }, before: { data: [0.5, 0.2] }, after: { data: [1, 0] } },
  greedy: "aa", best: "bb", beam: [["a", "b"], ["bb", "aa"]], findings: [{ name: "kept", value: 1 }],
};
const shapes = (drawn, shape) => drawn.scene.shapes.filter((one) => one.shape === shape);
const texts = (drawn) => shapes(drawn, "text").map(({ content }) => content);

test("a branch holds what begins with it", () => {
  const sums = prefixes(answer.axes.text.labels, answer.tensors.probability.data);
  assert.equal(sums.get("a").toFixed(9), "0.600000000");
  assert.equal(sums.get("").toFixed(9), "1.000000000");
});

test("the tree draws every branch, rings what the beam kept, and names greedy and best with their probabilities", () => {
  const drawn = tree(answer, space);
  assert.equal(shapes(drawn, "link").length, 6);
  assert.equal(shapes(drawn, "dot").length, 4);
  const of = (text) => texts(drawn).find((content) => has(content, text) && content !== text);
  const chances = { aa: ".300", bb: ".380", ab: ".300", a: ".600" };
  for (const [text, chance] of Object.entries(chances)) holds(of(text), chance);
  const [greedy, best, ...plain] = ["aa", "bb", "ab", "a"].map((text) => wording(of(text), text));
  assert.deepEqual(plain.map((words) => /\p{L}/u.test(words)), [false, false]);
  assert.equal(new Set([greedy, best, plain[0]]).size, 3);
  assert.deepEqual(shapes(drawn, "link").slice(-4).map(({ stroke }) => stroke).sort(), ["greedy!", "greedy!", "ink!", "ink!"]);
});

test("every text is found where it was drawn, and says how often it was sampled", () => {
  const { box, at, say, table } = tree(answer, space);
  for (const row of [0, 1, 2, 3]) assert.deepEqual(at(300, box(row).y + box(row).height / 2), { row, column: 0 });
  assert.equal(at(300, 0), null);
  const [plain, best] = [1, 3].map((row) => say({ row, column: 0 }));
  holds(best, "bb");
  inOrder(best, "0.3800", "38.0 %");
  assert.notEqual(wording(best, "bb"), wording(plain, "ab"));
  assert.deepEqual(table.rows[0], ["aa", 0.3, 0.28]);
});

test("where there is no room, only greedy and best are named", () => {
  const labels = Array.from({ length: 64 }, (_, i) => [i >> 4, (i >> 2) & 3, i & 3].map((n) => "abcd"[n]).join(""));
  const crowded = { ...answer, axes: { ...answer.axes, text: { size: 64, labels } }, tensors: { ...answer.tensors, probability: { data: labels.map(() => 1 / 64) } }, greedy: "aaa", best: "dcb", beam: [["a"]] };
  const named = texts(tree(crowded, space)).filter((content) => /^[abcd]{3} /.test(content));
  assert.deepEqual(named.map((content) => content.slice(0, 3)), ["aaa", "dcb"]);
  for (const content of named) holds(content, ".016");
  assert.notEqual(...named.map((content) => wording(content, "aaa", "dcb")));
});

test("a filter: bars after it, marks before it, and how many tokens are left", () => {
  const drawn = filter(answer, space);
  holds(drawn.say({ column: 0 }), "c'");
  inOrder(drawn.say({ column: 0 }), "0.5000", "1.0000");
  const left = (value) => texts(filter({ ...answer, findings: [{ name: "kept", value }] }, space));
  assert.deepEqual([3, 7].map((n) => left(n).some((content) => has(content, "7"))), [false, true]);
  assert.equal(drawn.kind, "trained");
});
