// The Performer's page: both maps are drawn on one scale and can be pointed at; the prices are those of the answer.

import assert from "node:assert/strict";
import { test } from "node:test";

import { maps, squares } from "../../static/js/views/performer-maps.js";
import { price } from "../../static/js/views/performer-price.js";
import { gives, has, holds } from "./said.js";

const colours = { ...Object.fromEntries(["ink", "inkSoft", "rule", "ruleStrong", "stream"].map((name) => [name, `${name}!`])), cividis: ["#00224e", "#fee838"], signed: ["#0a4a8f", "#fbfaf5", "#8f4300"], tick: 13 };
const space = { width: 640, height: 300, colours, state: { norm: "1", shown: "error" } };
const answer = {
  axes: { norm: { labels: ["0.5", "1", "2"] }, features: { labels: ["16", "512"] }, length: { labels: ["64", "2048"] } },
  tensors: {
    exact: { data: [[0.75, 0.25], [0.5, 0.5]] }, approximate: { data: [[0.9, 0.1], [0.4, 0.6]] },
    error: { data: [[0.1, 0.02], [0.5, 0.1], [1.2, 0.9]] }, operations: { data: [[131072, 134217728], [1064960, 34078720]] }, time: { data: [[0.001, 0.5], [0.002, 0.05]] },
  },
  findings: [{ name: "uniform_error", mean: 0.24 }],
};
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("both maps stand on one scale, as multiples of the uniform weight", () => {
  const drawn = maps(answer, space);
  const said = texts(drawn);
  for (const word of ["exact", "FAVOR+", "1.8"]) assert.ok(said.includes(word), word);
  const cell = drawn.say({ row: 0, column: 3 });
  gives(cell, { query: "0", key: "1", exact: "0.2500", "FAVOR+": "0.1000" });
  assert.deepEqual(drawn.table.rows[1], ["0", "1", 0.25, 0.1]);
});

test("every cell of both maps is found where it was drawn", () => {
  const { box, at } = maps(answer, space);
  for (const row of [0, 1]) for (const column of [0, 1, 2, 3]) {
    const { x, y, width, height } = box(row, column);
    assert.deepEqual(at(x + width / 2, y + height / 2), { row, column });
  }
  assert.equal(at(0, 0), null);
});

test("an estimate below zero puts the maps on a scale around zero", () => {
  const negative = { tensors: { ...answer.tensors, approximate: { data: [[1.5, -0.5], [0.4, 0.6]] } } };
  assert.ok(texts(maps(negative, space)).includes("−3"));
});

test("the maps stand one above the other on a narrow screen", () => {
  assert.equal(squares(640, 300, 13).corners[0][1], squares(640, 300, 13).corners[1][1]);
  assert.equal(squares(300, 600, 13).corners[0][0], squares(300, 600, 13).corners[1][0]);
});

test("errors: one line a norm, the chosen one in colour, and the null", () => {
  const drawn = price(answer, space);
  assert.equal(drawn.tensor, "error");
  holds(drawn.say({ column: 1 }), "512", "24.0 %");
  gives(drawn.say({ column: 1 }), { 0.5: "2.0 %", 1: "10.0 %", 2: "90.0 %" });
  const names = drawn.scene.shapes.filter(({ content }) => content === "norm 1" || content === "norm 2").map(({ fill }) => fill);
  assert.deepEqual(names, ["stream!", "inkSoft!"]);
});

test("costs: counted operations, or measured seconds", () => {
  const counted = price(answer, { ...space, state: { norm: "1", shown: "operations" } });
  holds(counted.say({ column: 0 }), "64");
  gives(counted.say({ column: 0 }), { attention: "131\u202f072", "FAVOR+": "1\u202f064\u202f960" });
  const timed = price(answer, { ...space, state: { norm: "1", shown: "time" } });
  assert.equal(timed.tensor, "time");
  assert.ok(texts(timed).some((content) => has(content, "seconds")));
  assert.ok(!texts(counted).some((content) => has(content, "seconds")));
  holds(timed.say({ column: 1 }), "2048");
  gives(timed.say({ column: 1 }), { attention: "500 ms", "FAVOR+": "50.0 ms" });
});
