// The memory page: a row for each key with its token and its words, and every cell found where it was drawn.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ending, fires, keys, recurrence, slots, written } from "../../static/js/views/memory-figures.js";
import { PALETTE } from "./attention-example.js";
import { holds, inOrder } from "./said.js";

const colours = { ...PALETTE, key: "key!", value: "value!", select: "select!" };
const space = { width: 620, height: 420, colours, state: {} };
const answer = {
  keys: [{ neuron: 55, tokens: ["<s>", "peut", "-"], words: ["être", "</s>", "<b>"] }, { neuron: 7, tokens: ["j'"], words: ["ai", "aime", "suis"] }],
  chosen: { neuron: 55, rank: 1, firing: 4 },
  sentences: [["<s>", "peut", "-"], ["<s>", "va"]],
  axes: { word: { labels: ["être", "</s>"] }, query: { labels: ["<s>", "ai"] }, column: { labels: ["<s>", "ai", "slot0"] } },
  tensors: { firing: { data: [4, 1] }, written: { data: [0.9, 0.4] }, fires: { data: [[0, 1, 4], [0, 0.5, null]] }, slots: { data: [[0.75, null, 0.25], [0.2, 0.5, 0.3]] } },
};
const shapes = (drawn, shape) => drawn.scene.shapes.filter((one) => one.shape === shape);
const texts = (drawn) => shapes(drawn, "text").map(({ content }) => content);
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

test("a row says the key, the token it fires at, and the words of its value", () => {
  const drawn = keys(answer, space);
  for (const words of ["55", "<s> peut", "-", "être", "<b>", "7", "j'", "ai"]) assert.ok(texts(drawn).includes(words), words);
  const [long, short] = shapes(drawn, "rect").filter(({ fill }) => fill === "key!");
  assert.ok(Math.abs(long.width / short.width - 4) < 1e-9);
  assert.equal(shapes(drawn, "rect").filter(({ fill }) => fill === "select!").length, 1);
  holds(drawn.say({ row: 1, column: 0 }), "7", "1.000", "j'", "ai", "aime", "suis");
  assert.deepEqual(drawn.pick({ row: 1, column: 0 }), { rank: "2" });
  assert.deepEqual(drawn.table.rows[0], ["55", 4, "<s> peut -", "être, </s>, <b>"]);
});

test("nothing is written beyond the right edge of a narrow picture", () => {
  const { scene } = keys(answer, { ...space, width: 300 });
  for (const { x, content, anchor, size } of scene.shapes.filter(({ shape }) => shape === "text")) {
    const wide = [...content].length * size * 0.61;
    assert.ok((anchor === "end" ? x - wide : x) >= -1, content);
    assert.ok(anchor === "end" || anchor === "middle" || x + wide <= 301, content);
  }
});

test("of the tokens before, the last are kept", () => {
  assert.deepEqual(ending(["a", "bb", "ccc"], 3 * 7, 10), ["ccc"]);
  assert.deepEqual(ending(["abcdef"], 3, 10), []);
});

test("every cell is found where it was drawn, and says its number", () => {
  const first = [
    [keys, "55", "4.000", "peut"], [written, "être", "0.900"],
    [fires, "<s>", "0"], [slots, "<s>", "<s>", "0.7500"],
  ];
  for (const [draw, ...said] of first) {
    const { box, at, rows, columns, say } = draw(answer, space);
    holds(say({ row: 0, column: 0 }), ...said);
    for (let row = 0; row < rows; row += 1) for (let column = 0; column < columns; column += 1) {
      const hit = at(...centre(box(row, column)));
      assert.equal(hit?.row, row, draw.name);
      if (draw !== fires || column < answer.sentences[row].length) assert.equal(hit.column, column, draw.name);
    }
  }
});

test("a token is coloured as it fires, and one that does not fire is not", () => {
  const drawn = fires(answer, space);
  assert.equal(shapes(drawn, "rect").filter(({ fill, height }) => fill && height > 20).length, 3);
  assert.equal(drawn.table.rows.length, 5);
});

test("slots stand after the tokens, behind a line; what is masked is hatched, and a row's sum is printed", () => {
  const drawn = slots(answer, space);
  const [from, to] = shapes(drawn, "path").at(-1).points;
  assert.deepEqual([from[0], to[0]], [drawn.box(0, 2).x, drawn.box(0, 2).x]);
  assert.equal(shapes(drawn, "hatch").length, 1);
  assert.equal(texts(slots(answer, space)).filter((content) => content === "1.00").length, 2);
  const said = slots(answer, space).say({ row: 0, column: 2 });
  inOrder(said, "<s>", "slot0");
  holds(said, "0.2500");
});

test("what remembering is worth is two lines over the lengths of memory, each point said and in the table", () => {
  const lengths = [0, 16, 32, 64, 96];
  const found = { axes: { memory: { ids: lengths } }, tensors: { held_out: { data: [2.4, 2.3, 2.25, 2.2, 2.19] }, bits: { data: [2.9, 2.7, 2.6, 2.6, 2.5] } } };
  const drawn = recurrence(found, space);
  for (const words of [...drawn.table.head.slice(1), "0", "64"])
    assert.ok(texts(drawn).includes(words), words);
  holds(drawn.say({ row: 0, column: 2 }), "32", "2.600", "2.250");
  inOrder(drawn.say({ row: 0, column: 2 }), "2.600", "2.250");
  assert.deepEqual(drawn.table.rows[4], ["96", 2.19, 2.5]);
});
