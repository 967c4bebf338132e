// Positions: the curves and clocks are drawn from the table that came, and what is pointed at is what is drawn there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_CHANNELS, parseChannels, tablePicture, withChannel } from "../../static/js/views/positions-table.js";
import { clock } from "../../static/js/views/positions-shift.js";
import { whole } from "../../static/js/address.js";
import { PALETTE as COMMON } from "./attention-example.js";
import { holds, numbers } from "./said.js";

const VIEWS = Object.fromEntries(await Promise.all(["similarity", "shift", "norms", "twice", "board"].map(async (name) => [name, (await import(`../../static/js/views/positions-${name}.js`)).view])));
const PALETTE = { ...COMMON, attention: "#1768a8", position: "#2e7f9c", embedding: "#5a6b86", feedForward: "#b94e12", error: "#9c2c13" };

const SIZE = { width: 460, height: 480 };
const LENGTH = 12;
const encoding = Array.from({ length: LENGTH }, (_, p) => [Math.sin(p), Math.cos(p), Math.sin(p / 10), Math.cos(p / 10)]);
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const tensors = {
  encoding: { axes: ["position", "channel"], shape: [LENGTH, 4], data: encoding },
  similarity: { axes: ["position", "position"], shape: [LENGTH, LENGTH], data: encoding.map((a) => encoding.map((b) => dot(a, b))) },
  wavelength: { axes: ["pair"], shape: [2], data: [2 * Math.PI, 20 * Math.PI] },
  shift_error: { axes: ["precision", "offset"], shape: [2, LENGTH - 1], data: [Array(LENGTH - 1).fill(1e-15), Array(LENGTH - 1).fill(1e-7)] },
};
const TWICE = {
  identifier_norm: { axes: ["reached"], shape: [2 * LENGTH], data: [...Array(LENGTH).fill(Math.SQRT2), ...Array(LENGTH).fill(null)] },
  profile: { axes: ["query", "behind"], shape: [2, 2 * LENGTH], data: [[...encoding.map((_, k) => Math.cos(k) + Math.cos(k / 10)), ...Array(LENGTH).fill(null)], Array(2 * LENGTH).fill(null)] },
};
const fact = (name, value, holds) => ({ name, value, holds, law: "0: the same", unit: "" });
const BOARD = {
  scheme: "alibi", length: LENGTH, d_model: 4, how: "added to the token", axes: { query: { labels: ["11", "23"] } },
  board: [
    { name: "normalised", how: "added to the token", facts: [fact("change_with_length", 0.5217, false), fact("weight", 1, true), fact("missing", 0, true)] },
    { name: "alibi", how: "added to the score", facts: [fact("change_with_length", 0, true), fact("weight", 511.5, false), fact("score_spread", 3e-14, true)] },
  ],
};
const own = {
  model: "m", vocabulary_norm: [0.05, 0.5, 0.95].map((quantile) => ({ quantile, value: 10 * quantile })), axes: { source: { size: 2, labels: ["<s>", "</b>"] } },
  tensors: { "token_norm.source": { axes: ["source"], shape: [2], formula: "|W_E[id] sqrt(d_model)|", data: [3, 5] }, position_norm: { axes: ["position"], shape: [LENGTH], data: Array(LENGTH).fill(Math.SQRT2) } },
};
const asked = { answer: { ...BOARD, tensors: { ...tensors, ...TWICE } }, own, head: 0, channels: [0, 3], position: 2, offset: 3, size: SIZE, colours: PALETTE };

test("channels that do not exist are left out, and each is drawn once", () => {
  assert.deepEqual(parseChannels("0,8,8,-1,1e9,x,2.5", 9), [0, 8]);
  assert.deepEqual(parseChannels("", 9), []);
});

test("picking a channel again lets it go, and the oldest makes room", () => {
  assert.deepEqual(withChannel([1, 2], 1), [2]);
  const full = Array.from({ length: MOST_CHANNELS }, (_, i) => i);
  assert.deepEqual(withChannel(full, 99), [...full.slice(1), 99]);
});

test("a channel's curve passes through the table's own numbers", () => {
  const { scene, x, frame } = tablePicture({ encoding, channels: [2], position: 1 }, SIZE, PALETTE);
  const curve = scene.shapes.find(({ shape, points }) => shape === "path" && points.length === LENGTH);
  curve.points.forEach(([px, py], p) => {
    assert.ok(Math.abs(px - x(p)) < 1e-9);
    assert.ok(Math.abs(py - (frame.y + (frame.height * (1 - encoding[p][2])) / 2)) < 1e-9);
  });
});

test("pointing at the middle of a cell finds its channel and position", () => {
  const { box, at } = tablePicture({ encoding, channels: [], position: 0 }, SIZE, PALETTE);
  const { x, y, width, height } = box(3, 7);
  assert.deepEqual(at(x + width / 2, y + height / 2), { row: 3, column: 7 });
});

test("a clock's hands point where sine and cosine say", () => {
  const shapes = clock({ encoding, pair: 1, position: 2, offset: 3, wavelength: 20 * Math.PI, colour: "#123456" }, { width: 100, height: 160 }, PALETTE);
  const hands = shapes.filter(({ shape, points }) => shape === "path" && points.length === 2);
  const angles = hands.map(({ points: [[x1, y1], [x2, y2]] }) => Math.atan2(y1 - y2, x2 - x1));
  assert.deepEqual(angles.map((angle) => angle.toFixed(9)), [0.5, 0.2].map((angle) => angle.toFixed(9)));
});

test("the angle between the hands is the same from every position", () => {
  const between = (position) => {
    const hands = clock({ encoding, pair: 0, position, offset: 2, wavelength: 2 * Math.PI, colour: "#123456" }, { width: 100, height: 160 }, PALETTE).filter(({ shape, points }) => shape === "path" && points.length === 2);
    const [a, b] = hands.map(({ points: [[x1, y1], [x2, y2]] }) => Math.atan2(y1 - y2, x2 - x1));
    return (((a - b) % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
  };
  for (let p = 0; p < LENGTH - 2; p += 1) assert.ok(Math.abs(between(p) - 2) < 1e-9);
});

test("of patches the row is laid out as they lie, without [CLS]", () => {
  const side = 3;
  const n = side * side + 1;
  const values = Array.from({ length: n }, (_, p) => Array.from({ length: n }, (__, q) => (p === q ? 1 : 0)));
  const drawn = VIEWS.similarity({ ...asked, answer: { grid: side, tensors: { similarity: { data: values } } }, position: 5 });
  const laid = drawn.scene.shapes.filter(({ shape, rows, columns }) => shape === "cells" && rows === side && columns === side);
  assert.equal(laid.length, 1);
  const bright = Array.from({ length: side * side }, (_, i) => [...laid[0].pixels.slice(4 * i, 4 * i + 3)].join());
  assert.equal(bright.filter((colour) => colour !== bright[0]).length, 1);
  assert.notEqual(bright[4], bright[0], "token 5 is the patch in the middle: [CLS] is token 0");
});

test("each view has a table with the answer's own numbers and a sentence for what is pointed at", () => {
  for (const [name, view] of Object.entries(VIEWS)) {
    const shown = view(asked);
    assert.equal(shown.table.rows[0].length, shown.table.head.length, name);
    const { x, y, width, height } = shown.box(0, 1);
    assert.deepEqual(shown.at(x + width / 2, y + height / 2), { row: 0, column: 1 }, name);
    assert.ok(shown.say({ row: 0, column: 1 }).length > 10, name);
  }
});

test("offsets are counted from where they begin, and heads become the rows", () => {
  const bias = Array.from({ length: 7 }, (_, i) => [-Math.abs(i - 3) / 2, -Math.abs(i - 3) / 4]);
  const { scene, box, at } = tablePicture({ encoding: bias, channels: [0, 1], position: 3, row: "head", column: "offset", quantity: "bias", first: -3 }, SIZE, PALETTE);
  const said = scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
  assert.ok(said.includes("−2") && said.includes("2") && said.includes("offset"));
  const { x, y, width, height } = box(1, 6);
  assert.deepEqual(at(x + width / 2, y + height / 2), { row: 1, column: 6 });
});

test("numbers below zero only, or all zero, still have an axis of finite numbers", () => {
  const how = "added to the score";
  for (const value of [-2, 0]) {
    const data = Array.from({ length: LENGTH }, () => Array(LENGTH).fill(value));
    const answer = { how, tensors: { similarity: { data } } };
    const shown = VIEWS.similarity({ ...asked, answer });
    for (const { shape, points } of shown.scene.shapes) if (shape === "path") for (const point of points) assert.ok(point.every(Number.isFinite));
    assert.equal(shown.title.toLowerCase(), how);
  }
});

test("where a table ends, nothing is drawn and the table says so", () => {
  const shown = VIEWS.twice(asked);
  for (const { shape, points } of shown.scene.shapes) if (shape === "path") for (const point of points) assert.ok(point.every(Number.isFinite));
  assert.equal(shown.table.rows[0][LENGTH + 1], "—");
  assert.ok(shown.table.rows[2].slice(1).every((cell) => cell === "—"));
  holds(shown.scene.label, "12");
  const beyond = shown.say({ row: 0, column: LENGTH });
  holds(beyond, "12", "—");
  assert.ok(!numbers(beyond).some((said) => said.includes(".")), "there is no size to say");
});

test("the board marks what does not hold, leaves out what was not asked, and picks a scheme", () => {
  const shown = VIEWS.board(asked);
  assert.deepEqual(shown.table.rows[0].slice(0, 5), ["normalised", "added to the token", "✗ 0.522", "✓ 1.000", "—"]);
  assert.deepEqual(shown.pick({ row: 0, column: 3 }), { scheme: "normalised" });
  holds(shown.say({ row: 1, column: 1 }), "alibi", "✗", "511.5");
  holds(shown.say({ row: 1, column: 4 }), "alibi");
  assert.doesNotMatch(shown.say({ row: 1, column: 4 }), /[✓✗\d]/);
  const said = shown.scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
  assert.equal(said.filter((content) => content === "✗").length, 2);
  assert.ok(!said.some((content) => content.includes("e−14")), "rounding is written as 0");
});

test("picking a cell of the similarity moves position and offset there, never backwards", () => {
  const { pick } = VIEWS.similarity(asked);
  assert.deepEqual(pick({ row: 2, column: 6 }), { position: "2", offset: "4" });
  assert.deepEqual(pick({ row: 6, column: 2 }), { position: "6" });
});

test("an error of exactly 0 is no point on a logarithmic scale", () => {
  const exact = { ...tensors, shift_error: { ...tensors.shift_error, data: [Array(LENGTH - 1).fill(0), Array(LENGTH - 1).fill(1e-7)] } };
  const shown = VIEWS.shift({ ...asked, answer: { tensors: exact } });
  for (const { shape, points } of shown.scene.shapes) if (shape === "path") for (const point of points) assert.ok(point.every(Number.isFinite));
  assert.equal(shown.table.rows[0][1], 0);
});

test("whatever stands in the address, a place is within its bounds", () => {
  assert.deepEqual(["3", "-1", "99", "2.6", "x", "", undefined, "1e400", "NaN"].map((text) => whole(text, 0, 9)), [3, 0, 9, 3, 0, 0, 0, 9, 0]);
});
