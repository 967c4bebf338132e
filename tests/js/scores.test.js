// Scores: six maps side by side, each cell where it was drawn; the bar that is missing says 0.

import assert from "node:assert/strict";
import { test } from "node:test";
import { choices, draws, patterns, reach } from "../../static/js/views/scores-figures.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { gives, has, holds, numbers } from "./said.js";

const colours = { ...COMMON, cross: "#ad3f76", attention: "#1768a8", value: "#0b756f", query: "#7a3e9d", feedForward: "#b94e12", bias: "#77725f" };
const space = { width: 600, height: 480, colours, state: {} };
const FUNCTIONS = ["dot", "scaled_dot", "general", "additive", "cosine", "location"];
const map = (first) => [[first, 1 - first], [0.25, 0.75]];
const answer = {
  axes: { key: { size: 2 }, function: { labels: FUNCTIONS }, choice: { labels: ["soft", "hard"] }, span: { labels: ["global", "local"] }, draws: { labels: ["1", "10", "100"] } },
  tensors: {
    ...Object.fromEntries(FUNCTIONS.map((name, i) => [name, { data: map(i / 10) }])),
    reach: { data: [1.25, 0.5, 1.5, 0.2, 0.04, 0] },
    choices: { data: [[map(0.4), [[1, 0], [0.25, 0.75]]], [map(0), [[1, 0], [0, 1]]]] },
    allowed: { data: [[[1, 1], [1, 1]], [[1, 0], [1, 1]]] },
    choice_reach: { data: [[0.36, 0.34], [0, 0]] },
    sampling_error: { data: [0.3, 0.1, 0.03] },
  },
};
const texts = ({ scene }) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

test("every function has its map, its name and its formula", () => {
  const drawn = patterns(answer, space);
  for (const said of ["dot", "scaled dot", "general", "additive", "cosine", "location", "qWkᵀ", "qW"]) assert.ok(texts(drawn).includes(said), said);
  holds(drawn.say({ row: 0, column: 2 }), "scaled dot", "0.100");
  gives(drawn.say({ row: 0, column: 2 }), { query: "1", key: "1" });
  holds(drawn.say({ row: 2, column: 5 }), "location", "0.500");
  gives(drawn.say({ row: 2, column: 5 }), { query: "1", key: "2" });
  const [name, ...values] = drawn.table.rows[11];
  holds(name, "location", "2");
  assert.deepEqual(values, [0.25, 0.75]);
});

test("every cell, bar and dot is found where it was drawn, also on a phone", () => {
  for (const draw of [patterns, reach, choices, draws]) for (const width of [328, 600]) {
    const { box, at, rows, columns, say } = draw(answer, { ...space, width });
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      assert.deepEqual(at(...centre(box(row, column))), { row, column }, draw.name);
      assert.ok(say({ row, column }).length > 10);
    }
  }
});

test("location's missing bar says 0", () => {
  const drawn = reach(answer, space);
  assert.equal(texts(drawn).filter((said) => said === "0").length, 2); // and the axis
  assert.deepEqual(drawn.table.rows[5], ["location", 0]);
  holds(drawn.say({ column: 0 }), "dot", "1.250");
});

test("what a local choice may not see is hatched, and says so", () => {
  const drawn = choices(answer, space);
  assert.equal(drawn.scene.shapes.filter(({ shape }) => shape === "hatch").length, 2);
  const [open, hidden] = [1, 3].map((column) => drawn.say({ row: 0, column }));
  holds(hidden, "soft", "local");
  gives(hidden, { query: "1", key: "2" });
  assert.deepEqual([numbers(open), numbers(hidden)], [["1", "2", "0.600"], ["1", "2"]]);
  const maps = [
    ["soft", "global", "0.36"], ["soft", "local", "0.34"],
    ["hard", "global", "0"], ["hard", "local", "0"],
  ];
  for (const [choice, span, gradient] of maps) {
    const title = texts(drawn).findIndex((content) => has(content, choice, span));
    holds(texts(drawn)[title + 1], gradient);
  }
});

test("the error of the draws is told at each count", () => {
  const drawn = draws(answer, space);
  holds(drawn.say({ column: 2 }), "100", "0.030");
  for (const said of ["1", "10", "10²"]) assert.ok(texts(drawn).includes(said), said);
});
