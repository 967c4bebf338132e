// Detection: what every query says is read off rightly, boxes lie where they are said, and a scene in words can be moved about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, readScene, shapeAt, withOne, writeScene } from "../../static/js/scenes.js";
import { board, found, heads, look, queryAt, said } from "../../static/js/views/detection-figures.js";
import { holds } from "./said.js";

const fonts = { sans: "sans", serif: "serif", mono: "mono" };
const colours = { tick: 13, small: 13, text: 16, ink: "#000000", inkSoft: "#333333", rule: "#cccccc", ruleStrong: "#888888", sunken: "#eeeeee", paper: "#ffffff", focus: "#0000ff", query: "#7a3e9d", cross: "#ad3f76", cividis: ["#00224e", "#fee838"], heads: ["#0072b2", "#e69f00"], signed: [], fonts };
const space = { width: 600, height: 500, colours };

/** Two queries, two layers, two heads, 2 x 2 patches of 2 x 2 pixels, two classes and nothing. */
const answer = {
  axes: {
    image: { labels: ["1,1", "1,2", "2,1", "2,2"], grid: [2, 2] }, row: { size: 4 }, column: { size: 4 }, layer: { size: 2 }, side: { labels: ["x", "y", "width", "height"] },
    queries: { labels: ["query 0", "query 1"] }, vocabulary: { labels: ["red ellipse", "blue triangle", "nothing"] }, object: { size: 1, labels: ["red ellipse"] },
  },
  tensors: {
    picture: { data: [0, 1, 2].map((colour) => Array.from({ length: 4 }, () => Array.from({ length: 4 }, () => (colour === 0 ? 1 : 0.5)))) },
    chances: { data: [[[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], [[0.9, 0.05, 0.05], [0.05, 0.05, 0.9]]] },
    boxes: { data: [[[0.5, 0.5, 0.8, 0.8], [0.2, 0.2, 0.1, 0.1]], [[0.4, 0.4, 0.5, 0.5], [0.2, 0.2, 0.1, 0.1]]] },
    weights: { data: [0, 1].map((layer) => [0, 1].map((head) => [0, 1, 2, 3].map((patch) => ((1 + layer + 2 * head + 8 * patch) % 7) / 10))) },
    truth: { data: [[0.4, 0.4, 0.5, 0.5]] },
  },
  found: [{ query: 0, class: "red ellipse", probability: 0.9, object: 0, iou: 0.75 }, { query: 1, class: "nothing", probability: 0.9, object: null, iou: null }],
};
const place = { query: 0, layer: 1, head: 1 };

test("a query says its most probable class, and the last is nothing", () => {
  assert.deepEqual(said(answer, 0).map((one) => [one.class, one.probability, one.nothing]), [["red ellipse", 0.5, false], ["nothing", 0.7, true]]);
});

test("every patch is found where it was drawn, and the frame of each is as strong as its weight", () => {
  const drawn = found(answer, place, space);
  for (const row of [0, 1]) for (const column of [0, 1]) {
    const { x, y, width, height } = drawn.box(row, column);
    assert.deepEqual(drawn.at(x + width / 2, y + height / 2), { row, column });
  }
  assert.equal(drawn.at(599, 499), null);
  const most = Math.max(...answer.tensors.weights.data.flat(2));
  const frames = drawn.scene.shapes.filter(({ opacity }) => opacity !== undefined);
  assert.deepEqual(frames.map(({ opacity }) => opacity), look(answer, place).map((value) => value / most));
});

test("the chosen box lies where it is said, over the picture and inside it", () => {
  const { scene, area } = found(answer, place, space);
  const [shown] = scene.shapes.filter(({ stroke, line }) => stroke === colours.query && line === 3);
  assert.ok(Math.abs((shown.x - area.x) / area.side - 0.15) < 1e-9 && Math.abs(shown.width / area.side - 0.5) < 1e-9);
  assert.ok(area.y + area.side < space.height, "the line below it is free");
  const tag = scene.shapes.find(({ content }) => content?.startsWith("0 red ellipse .9"));
  assert.ok(tag && tag.y > area.y);
});

test("a query that says nothing has a box only where it is chosen", () => {
  const tags = (query) => found(answer, { ...place, query }, space).scene.shapes.filter(({ content }) => content?.includes("nothing")).length;
  assert.deepEqual([tags(0), tags(1)], [0, 1]);
});

test("every head and every row of the board is found where it was drawn", () => {
  for (const drawn of [heads(answer, place, space), board(answer, place, space)])
    for (let row = 0; row < drawn.rows; row += 1) for (let column = 0; column < drawn.columns; column += 1) {
      const { x, y, width, height } = drawn.box(row, column);
      assert.deepEqual(drawn.at(x + width / 2, y + height / 2), { row, column });
      assert.ok(x + width <= space.width && y + height <= space.height);
    }
});

test("the board says what each query answers for, and its table has every number", () => {
  const drawn = board(answer, place, space);
  assert.ok(drawn.scene.shapes.some(({ content }) => content === "red ellipse .75"));
  assert.deepEqual(drawn.table.rows[1], ["query 1", 0.05, 0.05, 0.9]);
  holds(drawn.say({ row: 0, column: 0 }), "0", "red ellipse", ".900");
});

test("a point belongs to the smallest box around it, or to the query that is chosen", () => {
  assert.equal(queryAt(answer, place, 0.4, 0.4), 0);
  assert.equal(queryAt(answer, { ...place, query: 1 }, 0.99, 0.99), 1);
});

const SCENE = "ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25";

test("a scene is written as it was read", () => {
  assert.equal(writeScene(readScene(SCENE)), SCENE);
  assert.deepEqual(readScene(SCENE)[1], { kind: "triangle", colour: "blue", x: 0.7, y: 0.6, width: 0.3, height: 0.25 });
});

test("a shape moves to where it is brought, and no farther than the picture goes", () => {
  const shapes = readScene(SCENE);
  assert.equal(writeScene(moved(shapes, 0, 0.517, 0.5)), "ellipse red 0.52 0.5 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25");
  assert.equal(writeScene(moved(shapes, 1, 2, -1)), "ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.85 0.125 0.3 0.25");
});

test("what lies on top is held, and paper is not", () => {
  const shapes = readScene(`${SCENE}; rectangle green 0.3 0.4 0.1 0.1`);
  assert.deepEqual([shapeAt(shapes, 0.3, 0.4), shapeAt(shapes, 0.22, 0.4), shapeAt(shapes, 0.95, 0.05)], [2, 0, -1]);
});

test("one more shape stands where there is most room", () => {
  const shapes = withOne(readScene("ellipse red 0.2 0.2 0.3 0.3"), "green", "triangle");
  assert.equal(writeScene(shapes), "ellipse red 0.2 0.2 0.3 0.3; triangle green 0.8 0.8 0.28 0.28");
});
