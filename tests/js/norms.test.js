// Norms: the drawing says the lengths, the bounds and the leaks of the answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../static/js/views/norms-beside.js";
import { rounded, stream } from "../../static/js/views/norms-stream.js";
import { gives, has, holds, inOrder } from "./said.js";

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
  const [pre, post] = ["pre", "post"].map((placement) => stream(answer, space({ placement })));
  const dashed = ({ scene }) => scene.shapes.filter(({ dash }) => dash?.[0] === 2).length;
  assert.deepEqual([dashed(pre), dashed(post)], [2, 0]);
  const bounds = texts(pre).filter((content) => !texts(post).includes(content));
  assert.equal(new Set(bounds).size, 2, "each bound is named");
  const said = pre.say({ column: 3 });
  holds(said, "4");
  gives(said, {
    "Post-LN": "8.0", "Pre-LN": "13.0", Admin: "8.0", B2T: "8.0", "x + LN(f)": "17.9",
  });
  inOrder(said, "11.3", "16.0");
  assert.ok(!has(post.say({ column: 3 }), "16.0"));
});

test("a stack without a norm is drawn where it is asked for, and its numbers are always in the table", () => {
  const [name, ...values] = stream(answer, space()).table.rows[5];
  assert.ok(!texts(stream(answer, space())).includes(name));
  assert.ok(texts(stream(answer, space({ placement: "none" }))).includes(name));
  assert.deepEqual(values, [9, 11, 40, 3e6]);
});

test("a short logarithmic axis is marked at round numbers, a long one at powers of ten", () => {
  const { low, high, marks } = rounded([8, 45], "length");
  assert.deepEqual(marks.map(([, said]) => said), ["5", "10", "20", "50"]);
  assert.ok(Math.abs(low - Math.log10(5)) < 1e-9 && Math.abs(high - Math.log10(50)) < 1e-9);
  assert.deepEqual(rounded([1, 1e6], "length").marks[1][1], "10");
});

test("beside it stands what was asked for: shortcuts alone, the Jacobian, or the leaks", () => {
  holds(beside(answer, space()).say({ column: 3 }), "4");
  gives(beside(answer, space()).say({ column: 3 }), { "0.9": "0.656", 1: "1.000", 1.1: "1.460" });
  assert.ok(texts(beside(answer, space())).includes("λ = 1.1"));
  const jacobian = beside(answer, space({ beside: "singular" }));
  inOrder(jacobian.scene.label, "2", "1", "0");
  const leak = beside(answer, space({ beside: "leak" }));
  holds(leak.say({ row: 0, column: 0 }), "LayerNorm", "another sample", "0");
  holds(leak.say({ row: 2, column: 1 }), "InstanceNorm", "a later token", "1.750");
  assert.ok(texts(leak).includes("BatchNorm"));
});
