// Warm-up: the curves say the losses of the answer, by arm and by seed, and the rates that led there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { at, loss, rate } from "../../static/js/views/warmup-figures.js";
import { longer } from "../../static/js/views/warmup-live.js";
import { gives, holds, inOrder } from "./said.js";

const colours = { tick: 13, ink: "#000", inkSoft: "#333", rule: "#ccc", ruleStrong: "#888", stream: "#3f3d38", attention: "#1768a8", cross: "#b05", feedForward: "#060", value: "#909" };
const labels = (...names) => ({ size: names.length, labels: names });
const answer = {
  guessing: 2.08,
  axes: { arm: labels("post", "post_warmup", "admin", "pre"), seed: { size: 2 }, step: labels("1", "2", "3") },
  tensors: {
    loss: { data: [[[2.2, 2.1, 2], [2.4, 2.1, 2.2]], [[2.2, 1, 0.5], [2.4, 1, 0.5]], [[2, 0.6, 0.2], [2, 0.6, 0.2]], [[2, 0.5, 0.1], [2, 0.5, 0.1]]] },
    mean: { data: [[2.3, 2.1, 2.1], [2.3, 1, 0.5], [2, 0.6, 0.2], [2, 0.5, 0.1]] },
    rate: { data: [[0.03, 0.03, 0.03], [0.01, 0.02, 0.03], [0.03, 0.03, 0.03], [0.03, 0.03, 0.03]] },
  },
};
const space = { width: 620, height: 380, colours, state: {} };
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

/** The arms as they are named in the table, in the answer's order. */
const names = loss(answer, space).table.rows.map(([name]) => name);
const losses = (...values) => Object.fromEntries(values.map((value, i) => [names[i], value]));

test("every arm has its line and its name, and guessing has its level", () => {
  const drawn = loss(answer, space);
  for (const name of names) assert.ok(texts(drawn).includes(name), name);
  assert.deepEqual([names[0], names[2], names[3]], ["Post-LN", "Admin", "Pre-LN"]);
  const { y, height } = drawn.area;
  const level = drawn.scene.shapes.find(({ dash }) => dash?.[1] === 5).points.map(([, at]) => at);
  for (const at of level) assert.ok(Math.abs(at - (y + height * (1 - 2.08 / 2.5))) < 1e-9);
  assert.deepEqual(drawn.table.rows[0].slice(1), [2.3, 2.1, 2.1]);
  holds(drawn.say({ column: 1 }), "2");
  gives(drawn.say({ column: 1 }), losses("2.10", "1.00", "0.60", "0.50"));
});

test("each seed has a thin line of its own, on the scale of the means", () => {
  const drawn = loss(answer, space);
  const thin = drawn.scene.shapes.filter(({ shape, opacity }) => shape === "path" && opacity);
  assert.equal(thin.length, 8);
  const mean = drawn.scene.shapes.find(({ shape, line, stroke }) => shape === "path" && line === 2 && stroke === colours.attention);
  assert.deepEqual(thin[6].points, mean.points, "both seeds of Pre-LN are their mean");
});

test("the rate with warm-up grows to the others'", () => {
  const drawn = rate(answer, space);
  assert.ok(texts(drawn).includes(names[1]));
  const drawnLines = drawn.scene.shapes.filter(({ shape, line }) => shape === "path" && line === 2);
  assert.equal(drawnLines.length, 2);
  holds(drawn.say({ column: 0 }), "1");
  inOrder(drawn.say({ column: 0 }), "0.0100", "0.0300");
  assert.equal(drawn.table.rows.length, 4);
});

test("a step is told by its means", () => {
  gives(at(answer, 2), losses("2.10", "0.50", "0.20", "0.10"));
});

test("what is seen beyond the answer is drawn behind it, and changes nothing of it", () => {
  const step = (n) => ({ step: n, rate: [0.03, 0.03, 0.03, 0.03], loss: [[2, 3], [0.4, 0.2], [0.1, 0.1], [0, 0]] });
  const shaped = { ...answer, tensors: Object.fromEntries(Object.entries(answer.tensors).map(([name, tensor]) => [name, { ...tensor, shape: [4, 3] }])) };
  assert.equal(longer(shaped, [step(1), step(2), step(3)]), shaped);
  const shown = longer(shaped, [1, 2, 3, 4, 5].map(step));
  assert.deepEqual(shown.tensors.mean.data[0], [2.3, 2.1, 2.1, 2.5, 2.5]);
  assert.deepEqual(shown.tensors.loss.data[1][1], [2.4, 1, 0.5, 0.2, 0.2]);
  assert.deepEqual(shown.tensors.rate.shape, [4, 5]);
  holds(loss(shown, space).say({ column: 4 }), "5");
  gives(loss(shown, space).say({ column: 4 }), losses("2.50", "0.30"));
  assert.equal(shaped.axes.step.size, 3);
});
