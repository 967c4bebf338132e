// An image in its patches: every patch is found where it was drawn, shows its own pixels and wears the colour of its weight.
import assert from "node:assert/strict";
import { test } from "node:test";
import { css, probability } from "../../static/js/draw/colours.js";
import { cellOf, patched, rowsOf, sayLook, tokenOf, withPixel } from "../../static/js/draw/image.js";

const fonts = { sans: "sans", serif: "serif", mono: "mono" };
const colours = { tick: 13, small: 13, text: 16, ink: "#000000", inkSoft: "#333333", rule: "#cccccc", ruleStrong: "#888888", sunken: "#eeeeee", paper: "#ffffff", focus: "#0000ff", cividis: ["#00224e", "#fee838"], heads: [], signed: [], fonts };
const scale = probability(colours, "weight");
const values = Array.from({ length: 6 }, (_, row) => Array.from({ length: 6 }, (_, column) => (row * 6 + column) / 35));
const weights = Array.from({ length: 10 }, (_, i) => i / 45);
const draw = (more = {}) => patched({ values, grid: [3, 3], weights, scale, colours, label: "a digit", width: 640, height: 480, ...more });
const blocks = (drawn) => drawn.scene.shapes.filter(({ shape }) => shape === "cells");
const inks = (block) => Array.from({ length: block.rows * block.columns }, (_, i) => 255 - block.pixels[4 * i]);

test("every token is found where it was drawn, [CLS] and all patches", () => {
  const { box, at } = draw();
  for (let token = 0; token < 10; token += 1) {
    const { x, y, width, height } = box(...cellOf(token, 3));
    assert.equal(tokenOf(at(x + width / 2, y + height / 2), 3), token);
  }
  assert.equal(at(639, 479), null);
});

test("all of it lies inside the frame, wide or narrow", () => {
  for (const [width, height] of [[640, 480], [320, 480], [1200, 300]]) {
    const { box } = draw({ width, height });
    const last = box(2, 3);
    assert.ok(last.x + last.width <= width && last.y + last.height <= height, `${width} x ${height}`);
    assert.ok(box(0, 0).x >= 0 && box(0, 0).x + box(0, 0).width < box(0, 1).x, "[CLS] stands beside the image");
  }
});

test("a patch shows its own pixels, ink dark and paper light", () => {
  const shown = blocks(draw({ weights: null })).map(inks);
  assert.equal(shown.length, 9);
  const grey = (row, column) => Math.round(255 * values[row][column]);
  [[2, 2], [2, 3], [3, 2], [3, 3]].forEach(([row, column], i) => assert.ok(Math.abs(shown[4][i] - grey(row, column)) <= 1, `row ${row}, column ${column}`));
});

test("the frame of a token has the colour of its weight, and none without weights", () => {
  const frames = draw().scene.shapes.filter(({ shape, fill }) => shape === "rect" && fill?.startsWith("rgb"));
  weights.forEach((weight, i) => assert.equal(frames[i].fill, css(scale, weight)));
  assert.ok(draw({ weights: null }).scene.shapes.filter(({ shape }) => shape === "rect").every(({ fill }) => fill === "#eeeeee"));
});

test("the token that looks is marked, once", () => {
  const marks = (selected) => draw({ selected }).scene.shapes.filter(({ stroke }) => stroke === "#0000ff");
  assert.equal(marks(null).length, 0);
  for (const token of [0, 5]) {
    const { x, y } = draw().box(...cellOf(token, 3));
    assert.deepEqual(marks(token).map((mark) => [mark.x, mark.y]), [[x + 1, y + 1]]);
  }
});

test("every pixel is found where it was drawn, and [CLS] has none", () => {
  const { box, pixel } = draw();
  for (let row = 0; row < 6; row += 1)
    for (let column = 0; column < 6; column += 1) {
      const { x, y, width } = box(Math.floor(row / 2), 1 + Math.floor(column / 2));
      const within = (i) => width * (0.12 + 0.76 * ((i % 2) + 0.5) / 2);
      assert.deepEqual(pixel(x + within(column), y + within(row)), { row, column });
      assert.deepEqual(pixel(x + (column % 2 ? width - 1 : 1), y + (row % 2 ? width - 1 : 1)), { row, column }, "on the frame the nearest");
    }
  assert.equal(pixel(5, box(0, 0).y + 5), null);
});

test("an address is read as rows, and what is no image is null", () => {
  assert.deepEqual(rowsOf("0,0.5,1,0.25"), [[0, 0.5], [1, 0.25]]);
  for (const written of ["", "0,1", "0,0,0,2", "0,0,0,nan", "0,0,0,", "three", "-1,0,0,0"]) assert.equal(rowsOf(written), null, written);
});

test("one pixel is changed and the image before stays as it was", () => {
  const before = [[0, 0], [0, 0]];
  assert.deepEqual(withPixel(before, { row: 1, column: 0 }, 0.5), [[0, 0], [0.5, 0]]);
  assert.deepEqual(before, [[0, 0], [0, 0]]);
});

test("a look is said in words", () => assert.equal(sayLook(["[CLS]", "1,1"], 0, 1, 0.25), "[CLS] looks at 1,1: .25"));
