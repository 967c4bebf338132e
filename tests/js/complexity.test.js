// The complexity page says the numbers of the answer: counts with their layer, times as measured here, gradients with their path.

import assert from "node:assert/strict";
import { test } from "node:test";

import { costs, gradient } from "../../static/js/views/complexity-curves.js";
import { gives, has, holds } from "./said.js";

const colours = { ...Object.fromEntries(["ink", "inkSoft", "rule", "ruleStrong", "stream", "attention", "feedForward", "position"].map((name) => [name, `${name}!`])), tick: 13 };
const at = (shown) => ({ width: 640, height: 300, colours, state: { shown, d_model: "64" } });
const LAYERS = ["self-attention", "recurrent", "convolution", "restricted"];
const answer = {
  axes: { layer: { labels: LAYERS }, timed: { labels: LAYERS.slice(0, 3) }, length: { labels: ["16", "64", "256"] }, path: { labels: ["RNN, gain 0.8", "attention"] }, distance: { labels: ["1", "2"] } },
  tensors: {
    operations: { axes: ["layer", "length"], data: [[16384, 262144, 4194304], [65536, 262144, 1048576], [196608, 786432, 3145728], [16384, 131072, 524288]] },
    path_length: { axes: ["layer", "length"], data: [[1, 1, 1], [15, 63, 255], [3, 4, 6], [1, 3, 9]] },
    time: { axes: ["timed", "length"], data: [[0.0001, 0.0002, 0.001], [0.0005, 0.002, 0.008], [0.0001, 0.0001, 0.0002]] },
    gradient_by_distance: { axes: ["path", "distance"], data: [[0.8, 0.64], [0.03, 0.02]] },
  },
};
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("counts: each layer by name, and a mark where n = d", () => {
  const drawn = costs(answer, at("operations"));
  for (const word of [...LAYERS, "16", "64", "256"]) assert.ok(texts(drawn).includes(word), word);
  holds(drawn.say({ column: 1 }), "64");
  gives(drawn.say({ column: 1 }), {
    "self-attention": "262\u202f144", recurrent: "262\u202f144",
    convolution: "786\u202f432", restricted: "131\u202f072",
  });
  assert.equal(drawn.scene.shapes.filter(({ dash }) => dash?.[0] === 2).length, 1);
  assert.equal(drawn.kind, "analytic");
  assert.deepEqual(drawn.table.rows[1], ["recurrent", 65536, 262144, 1048576]);
});

test("paths have no mark, and times are drawn in seconds and not said to be analytic", () => {
  assert.equal(costs(answer, at("path_length")).scene.shapes.filter(({ dash }) => dash?.[0] === 2).length, 0);
  const timed = costs(answer, at("time"));
  assert.ok(texts(timed).some((content) => has(content, "seconds")));
  assert.notEqual(timed.kind, "analytic");
  holds(timed.say({ column: 2 }), "256");
  gives(timed.say({ column: 2 }), {
    "self-attention": "1.000 ms", recurrent: "8.000 ms", convolution: "0.200 ms",
  });
});

test("gradients against the distance", () => {
  const drawn = gradient(answer, at("operations"));
  holds(drawn.say({ column: 1 }), "2");
  gives(drawn.say({ column: 1 }), { "RNN, gain 0.8": "0.640", attention: "0.020" });
  assert.ok(texts(drawn).includes("RNN 0.8"));
});
