// The probes page: both figures on one scale from 0 to 1, the numbers of the answer in words and table.

import assert from "node:assert/strict";
import { test } from "node:test";

import { probes, stream } from "../../static/js/views/probes-figures.js";
import { PALETTE } from "./attention-example.js";
import { gives, holds } from "./said.js";

const colours = { ...PALETTE, position: "position!", embedding: "token!", cross: "control!", stream: "stream!", inkSoft: "soft!" };
const space = { width: 560, height: 360, colours, state: {} };
const both = (position) => [[[0.9, position + 0.1], [0.8, position]], [[1, 1], [1, 0.95]], [[1, 1], [0.99, 0.9]]];
const answer = {
  axes: { point: { labels: ["embedding", "0"] }, probe: { labels: ["position", "token", "control"] } },
  tensors: {
    "accuracy.on": { data: both(0.6) }, "cosine.on": { data: [0.1, 0.2] }, "direct.on": { data: [[0.3, 0.1], [0.7, 0.4]] },
    "accuracy.off": { data: both(0.1) }, "cosine.off": { data: [0.1, 0.99] }, "direct.off": { data: [[0.3, 0], [0.7, 0]] },
  },
  findings: [{ name: "by_word", mean: 0.35 }],
};
const paths = (drawn, colour) => drawn.scene.shapes.filter(({ shape, stroke, line }) => shape === "path" && stroke === colour && line === 2);
const texts = (drawn) => drawn.scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("held out is solid and named, fitted is dashed and above it", () => {
  const drawn = probes(answer, "on", space);
  const [held, fitted] = paths(drawn, "position!");
  assert.ok(fitted.dash && !held.dash);
  assert.ok(fitted.points[1][1] < held.points[1][1]);
  const byWord = drawn.table.rows[0][0];
  for (const name of ["position", "token", "control", byWord])
    assert.ok(texts(drawn).includes(name), name);
});

test("the same number stands at the same height with the residual and without", () => {
  const level = (drawn) => paths(drawn, "position!")[0].points[0][1];
  assert.equal(level(probes(answer, "on", space)), level(probes(answer, "off", space)));
});

test("what the word alone gives away is level", () => {
  const [[, from], [, to]] = paths(probes(answer, "on", space), "soft!")[0].points;
  assert.equal(from, to);
});

test("words and table have the numbers of the answer", () => {
  const { say, table } = probes(answer, "off", space);
  const read = ["0.350", "0.900", "1.000", "0.950", "1.000", "0.100", "0.200"];
  const said = say({ row: 0, column: 1 });
  holds(said, "0");
  gives(said, Object.fromEntries(table.rows.map(([name], i) => [name, read[i]])));
  const straight = stream(answer, "off", space).say({ row: 0, column: 1 });
  holds(straight, "0", "0", "0");
  gives(straight, { cosine: "0.990", token: "0", position: "0" });
  assert.deepEqual(stream(answer, "on", space).table.rows[2], ["position", 0.3, 0.1]);
});

test("every layer is found where it was drawn", () => {
  for (const draw of [probes, stream]) for (const width of [300, 560]) {
    const { box, at, columns } = draw(answer, "on", { ...space, width });
    for (let column = 0; column < columns; column += 1) {
      const { x, y, width: w, height } = box(0, column);
      assert.deepEqual(at(x + w / 2, y + height / 2), { row: 0, column });
    }
  }
});
