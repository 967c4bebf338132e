// Dependency: the maps and lines say the shares of the answer, and nothing about what is not yet written.
import assert from "node:assert/strict";
import { test } from "node:test";
import { maps } from "../../static/js/views/dependency-maps.js";
import { newest } from "../../static/js/views/dependency-newest.js";
import { gives, has, holds, inOrder, numbers } from "./said.js";

const colours = { tick: 13, text: 16, ink: "#000", inkSoft: "#333", rule: "#ccc", ruleStrong: "#888", stream: "#3f3d38", attention: "#1768a8", cross: "#ad3f76", cividis: ["#00224e", "#fee838"] };
const answer = {
  axes: { placement: { labels: ["post", "pre", "admin"] }, sublayer: { labels: ["1", "2"] } },
  tensors: {
    "beta_squared.all": { data: [[[0.083, 0], [0.063, 0.242]], [[0.079, 0], [0.061, 0.228]], [[0.081, 0], [0.062, 0.231]]] },
    "dependency.all": { data: [[0.083, 0.242], [0.079, 0.228], [0.081, 0.231]] },
    omega: { data: [1, 1.043] },
  },
};
const space = { width: 620, height: 380, colours, state: { placement: "pre" } };
const texts = (shapes) => shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("a map a placement, each named, on one scale whose end is the largest share", () => {
  const { scene } = maps(answer, space);
  const said = texts(scene.shapes);
  for (const word of ["Post-LN", "Pre-LN", "Admin", "0.24"]) assert.ok(said.includes(word), word);
  for (const index of ["i", "j"]) assert.ok(said.some((content) => has(content, index)), index);
  assert.equal(scene.shapes.filter(({ shape, rows }) => shape === "cells" && rows === 2).length, 3);
});

test("every cell is found where it was drawn, says its share and its writer, and picks its placement", () => {
  const { box, at, say, pick } = maps(answer, space);
  for (const row of [0, 1]) for (let column = 0; column < 6; column += 1) {
    const { x, y, width, height } = box(row, column);
    assert.deepEqual(at(x + width / 2, y + height / 2), { row, column });
  }
  assert.equal(at(0, 0), null);
  holds(say({ row: 1, column: 2 }), "Pre-LN", ".061");
  inOrder(say({ row: 1, column: 2 }), "2", "1");
  assert.equal(numbers(say({ row: 1, column: 2 })).filter((said) => said === "2").length, 1);
  const unwritten = say({ row: 0, column: 5 });
  holds(unwritten, "Admin", "1", "2");
  assert.ok(!numbers(unwritten).some((said) => /^0|\./.test(said)), "no share is said");
  assert.deepEqual(pick({ row: 0, column: 5 }), { placement: "admin" });
});

test("what is not yet written has no colour", () => {
  const [first] = maps(answer, space).scene.shapes.filter(({ shape, rows }) => shape === "cells" && rows === 2);
  const alpha = [0, 1, 2, 3].map((i) => first.pixels[4 * i + 3]);
  assert.deepEqual(alpha, [255, 0, 255, 255]);
});

test("a narrow screen shows the map that was asked for, and the table still has all", () => {
  const { columns, table, say } = maps(answer, { ...space, width: 320 });
  assert.equal(columns, 2);
  holds(say({ row: 0, column: 0 }), "Pre-LN", ".079");
  assert.deepEqual(table.rows.map(([name]) => name), ["Post-LN 1", "Post-LN 2", "Pre-LN 1", "Pre-LN 2", "Admin 1", "Admin 2"]);
});

test("the lines say the newest writer's share in each placement, and omega", () => {
  const { say, table, scene } = newest(answer, space);
  holds(say({ column: 1 }), "2");
  gives(say({ column: 1 }), { "Post-LN": ".242", "Pre-LN": ".228", Admin: ".231", omega: "1.043" });
  assert.deepEqual(table.rows[3], ["omega", 1, 1.043]);
  assert.ok(texts(scene.shapes).some((content) => has(content, "ω")));
});
