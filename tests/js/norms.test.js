// Norms: the drawing says the lengths, the bounds and the leaks of the answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../static/js/views/norms-beside.js";
import { rounded, stream } from "../../static/js/views/norms-stream.js";

const colours = { tick: 13, text: 16, ink: "#000", inkSoft: "#333", rule: "#ccc", ruleStrong: "#888", stream: "#3f3d38", attention: "#1768a8", cross: "#ad3f76", query: "#7a4fa3", feedForward: "#b94e12", value: "#0b756f", heads: ["#0072b2", "#e69f00"], cividis: ["#00224e", "#fee838"] };
const labels = (...names) => ({ labels: names });
const answer = {
  axes: {
    placement: labels("post", "pre", "admin", "b2t", "branch", "none"), sublayer: labels("1", "2", "3", "4"), scale: labels("0.9", "1", "1.1"), channel: labels("1", "2", "3", "4"),
    averages: labels("layer", "batch", "instance"), source: labels("another sample", "a later token"),
  },
  tensors: {
    "stream.all": { data: [[8, 8, 8, 8], [8.5, 10.3, 11.2, 13], [8, 8, 8, 8], [8, 8, 8, 8], [11.3, 13.9, 16, 17.9], [9, 11, 40, 3e6]] },
    lemma: { data: [[9.8, 11.3], [12.6, 16]] },
    path: { data: [[0.9, 0.81, 0.729, 0.656], [1, 1, 1, 1], [1.1, 1.21, 1.33, 1.46]] },
    singular: { data: [1, 1, 0, 0] },
    leak: { data: [[0, 0], [1.7, 0.6], [0, 1.75]] },
  },
};
const space = (state) => ({ width: 520, height: 380, colours, state: { placement: "pre", shortcut: "1", beside: "path", ...state } });
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("the bounds of Lemma 2 are drawn over Pre-LN, and over nothing else", () => {
  assert.ok(texts(stream(answer, space())).includes("upper bound"));
  assert.ok(!texts(stream(answer, space({ placement: "post" }))).includes("upper bound"));
  assert.equal(stream(answer, space()).say({ column: 3 }), "after sub-layer 4: Post-LN 8.0, Pre-LN 13.0, Admin 8.0, B2T 8.0, x + LN(f) 17.9; layer 2: from 11.3 to 16.0");
});

test("a stack without a norm is drawn where it is asked for, and its numbers are always in the table", () => {
  assert.ok(!texts(stream(answer, space())).includes("no norm"));
  assert.ok(texts(stream(answer, space({ placement: "none" }))).includes("no norm"));
  assert.deepEqual(stream(answer, space()).table.rows[5], ["no norm", 9, 11, 40, 3e6]);
});

test("a short logarithmic axis is marked at round numbers, a long one at powers of ten", () => {
  const { low, high, marks } = rounded([8, 45], "length");
  assert.deepEqual(marks.map(([, said]) => said), ["5", "10", "20", "50"]);
  assert.ok(Math.abs(low - Math.log10(5)) < 1e-9 && Math.abs(high - Math.log10(50)) < 1e-9);
  assert.deepEqual(rounded([1, 1e6], "length").marks[1][1], "10");
});

test("beside it stands what was asked for: shortcuts alone, the Jacobian, or the leaks", () => {
  assert.match(beside(answer, space()).say({ column: 3 }), /0\.9 leaves 0\.656/);
  assert.ok(texts(beside(answer, space())).includes("λ = 1.1"));
  const jacobian = beside(answer, space({ beside: "singular" }));
  assert.match(jacobian.scene.label, /2 are 1, the others 0/);
  const leak = beside(answer, space({ beside: "leak" }));
  assert.equal(leak.say({ row: 0, column: 0 }), "LayerNorm: another sample moves a token by 0 at most");
  assert.equal(leak.say({ row: 2, column: 1 }), "InstanceNorm: a later token moves a token by 1.750 at most");
  assert.ok(texts(leak).includes("BatchNorm"));
});
