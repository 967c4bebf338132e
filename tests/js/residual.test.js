// The residual page: stacks end at the stream's length, every cell can be found again, and tokens are shown as typed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { stack } from "../../static/js/views/residual-contributions.js";
import { explorable } from "../../static/js/views/residual-explore.js";
import { way } from "../../static/js/views/residual-norm.js";
import { NEEDS, partTitle, readLens, readStream, stepTitle } from "../../static/js/views/residual-stream.js";
import { tableOf } from "../../static/js/views/residual-tables.js";
import { say } from "../../static/js/views/residual-words.js";
import { partsOf } from "../../static/js/views/residual-writes.js";
import { holds, numbers } from "./said.js";

const VIEWS = ["contributions", "norm", "writes", "dependency", "lens"];
const modules = Object.fromEntries(await Promise.all(VIEWS.map(async (view) => [view, await import(`../../static/js/views/residual-${view}.js`)])));
const picture = (stream, lens, state, ...rest) => modules[state.view].picture(stream, lens, state, ...rest);
const BY_SUB_LAYER = ["sum_norm", "update_norm", "cosine", "dependency", "dependency_mean"];
const TOKENS = ["<s>", "<img onerror=alert(1)>", "\u202eevil"];
const COLOURS = {
  ...Object.fromEntries(["paper", "sunken", "ink", "inkSoft", "rule", "ruleStrong", "select", "stream", "embedding", "position", "attention", "cross", "feedForward", "bias"].map((name) => [name, `${name}!`])),
  heads: ["#0072b2", "#e69f00"], cividis: ["#00224e", "#fee838"], signed: ["#0a4a8f", "#8f4300"], tick: 13, small: 13, text: 16,
};

/** A decoder of one layer, two heads and three tokens, as the API answers; numbers that are easy to add. */
function residual(placement) {
  const post = placement === "post";
  const writes = ["decoder.0.attention.out", "decoder.0.feed_forward.out"];
  const norms = post ? ["decoder.0.norm1", "decoder.0.norm2"] : [null, null];
  const steps = [
    { name: "decoder.0.residual.in", wrote: "decoder.embedding.sum", norm: null, formula: "token + position" },
    { name: "decoder.0.residual.after_attention", wrote: writes[0], norm: norms[0], formula: "" },
    { name: "decoder.0.residual.out", wrote: writes[1], norm: norms[1], formula: "" },
    ...(post ? [] : [{ name: "decoder.norm.out", wrote: null, norm: "decoder.norm", formula: "LN(x)" }]),
  ];
  const parts = [
    { name: "decoder.embedding.token", kind: "token", layer: null, head: null },
    { name: "decoder.embedding.position", kind: "position", layer: null, head: null },
    { name: "decoder.0.attention.head_out[0]", kind: "attention", layer: 0, head: 0 },
    { name: "decoder.0.attention.head_out[1]", kind: "attention", layer: 0, head: 1 },
    { name: "decoder.0.attention.output.bias", kind: "bias", layer: 0, head: null },
    { name: "decoder.0.feed_forward", kind: "feed_forward", layer: 0, head: null },
    { name: "decoder.0.feed_forward.output.bias", kind: "bias", layer: 0, head: null },
  ];
  const values = [[3, 1, 0, 0, 0, 0, 0], [2, 1, 4, -1.5, 0.5, 0, 0], [1, 0.5, 2, -1, 0.25, 5, -0.75], [2, 1, 4, -2, 0.5, 10, -1.5]].slice(0, steps.length);
  const projections = values.map((row) => row.map((value) => TOKENS.map((_, p) => value * (p + 1))));
  const norm = projections.map((rows) => TOKENS.map((_, p) => rows.reduce((sum, row) => sum + row[p], 0)));
  const data = { norm, sum_norm: [[5, 6, 7], [8, 9, 10]], update_norm: [[1, 2, 3], [4, 5, 6]], cosine: [[0.1, 0.2, 0.3], [-0.1, -0.2, -0.3]], dependency: [[0.1, 0.5, 0.9], [0.2, 0.3, 1.2]], dependency_mean: [0.5, 0.567], part_norm: parts.map((_, i) => [i, i + 1, i + 2]), projections };
  const axes = { target: { labels: TOKENS }, sub_layer: { labels: writes } };
  const named = { norm: ["step", "target"] };
  const tensors = Object.fromEntries(Object.entries(data).map(([name, values]) => [name, { axes: named[name] ?? [], data: values }]));
  return { stack: "decoder", placement, d_model: 16, steps, parts, axes, tensors, largest_difference: { value: 1e-6 } };
}

function logits(steps) {
  const points = steps.filter((step) => step.wrote);
  const each = (value) => points.map((_, s) => TOKENS.map((__, p) => value(s, p)));
  return {
    points, expected: ["a", "b"],
    lens_tokens: each((s) => [`first${s}`, "</s>"]),
    tensors: Object.fromEntries(Object.entries({ top_probability: each(() => [0.75, 0.2]), rest: each(() => 0.05), expected_probability: each(() => 0.75), expected_rank: each((s) => 2 - (s % 2)) }).map(([name, data]) => [`lens.${name}`, { data }])),
  };
}

const read = (placement, answer = residual(placement), parts = answer) => {
  const stream = readStream(answer, parts);
  return { stream, lens: readLens(logits(stream.steps), stream) };
};

/** The answer to a question that names only what a view needs: other tensors and the axes of none are left out. */
function asked(placement, view) {
  const answer = residual(placement);
  const tensors = Object.fromEntries(NEEDS[view].split(",").map((name) => [name, answer.tensors[name]]));
  const axes = Object.keys(tensors).some((name) => BY_SUB_LAYER.includes(name)) ? answer.axes : { target: answer.axes.target };
  return { ...answer, tensors, axes };
}

/** What the stream of one position is made of, as the API answers where `position` is given. */
function ofOne(placement, position) {
  const { axes, tensors: { projections }, ...rest } = residual(placement);
  return { ...rest, position, axes: { target: { labels: [TOKENS[position]] } }, tensors: { projections: { ...projections, data: projections.data.map((parts) => parts.map((row) => [row[position]])) } } };
}

for (const placement of ["post", "pre"]) {
  test(`${placement}: every stack ends at the stream's length, forward parts first`, () => {
    const { stream } = read(placement);
    stream.steps.forEach((_, s) =>
      TOKENS.forEach((__, p) => {
        const bars = stack(stream, s, p);
        assert.equal(bars.at(-1).to, stream.norm[s][p]);
        bars.forEach((bar, i) => assert.equal(bar.from, i ? bars[i - 1].to : 0));
        const signs = bars.map((bar) => Math.sign(bar.value));
        assert.deepEqual(signs, [...signs].sort((a, b) => b - a));
      }));
  });
}

test("Post-LN goes through the sum and then the norm, Pre-LN straight", () => {
  assert.deepEqual(way(read("post").stream, 1).map((point) => [point.step, point.before, point.value]), [[0, false, 8], [1, true, 6], [1, false, 12], [2, true, 9], [2, false, 14]]);
  assert.deepEqual(way(read("pre").stream, 0).map((point) => point.value), [4, 6, 7, 14]);
});

test("a final norm is read as the point before it, which the lens norms itself", () => {
  const { lens } = read("pre");
  assert.equal(lens.guesses.length, 4);
  assert.deepEqual(lens.guesses[3], lens.guesses[2]);
});

test("a write's parts are its heads and its bias, and nobody else's", () => {
  const { stream } = read("post");
  assert.deepEqual(partsOf(stream, 0), [0, 1]);
  assert.deepEqual(partsOf(stream, 1), [2, 3, 4]);
  assert.deepEqual(partsOf(stream, 2), [5, 6]);
  assert.deepEqual(partsOf(read("pre").stream, 3), []);
});

for (const view of VIEWS) {
  for (const width of [960, 328]) {
    test(`${view} at ${width} px: every cell is found where its box is, and nothing leaves the picture`, () => {
      const { stream, lens } = read("post");
      const image = picture(stream, lens, { view, position: 1, step: 2 }, { width, height: 440 }, COLOURS);
      stream.steps.forEach((_, column) => {
        const box = image.box(1, column);
        assert.deepEqual(image.at(box.x + box.width / 2, box.y + box.height / 2), { row: 1, column });
      });
      for (const shape of image.scene.shapes) {
        for (const number of Object.values(shape).filter((value) => typeof value === "number")) assert.ok(Number.isFinite(number), JSON.stringify(shape));
        if (shape.shape === "rect") assert.ok(shape.x >= -1 && shape.y >= -1 && shape.x + shape.width <= width + 1 && shape.y + shape.height <= 441 && shape.height >= 0, JSON.stringify(shape));
      }
    });
  }

  test(`${view}: the table holds a row for everything drawn, and a sentence says the cell, from what the view asks for`, () => {
    const { stream, lens } = read("pre", asked("pre", view), view === "contributions" ? ofOne("pre", 1) : undefined);
    const state = { view, position: 1, step: 1 };
    assert.ok(picture(stream, lens, state, { width: 960, height: 440 }, COLOURS).scene.shapes.length > 20);
    const table = tableOf(stream, lens, state);
    assert.ok(table.rows.length >= 2);
    for (const row of table.rows) assert.equal(row.length, table.head.length);
    holds(say(stream, lens, state), TOKENS[1], stepTitle(stream.steps[1]));
  });
}

test("of a token whose parts were not asked for the length is said", () => {
  const { stream, lens } = read("post", asked("post", "contributions"), ofOne("post", 1));
  holds(say(stream, lens, { view: "contributions", position: 1, step: 1 }), "12.00");
  holds(say(stream, lens, { view: "contributions", position: 2, step: 1 }), "|x|", "18.000");
});

test("the table of contributions shows that the parts sum to |x|", () => {
  const { stream, lens } = read("post");
  const rows = tableOf(stream, lens, { view: "contributions", position: 2, step: 0 }).rows;
  const [sum, length] = rows.slice(-2);
  assert.deepEqual(sum.slice(1), length.slice(1));
});

test("without a lens the encoder's views are drawn without what is read out", () => {
  const { stream, lens } = read("post");
  for (const view of VIEWS) {
    const readOut = (lens) =>
      picture(stream, lens, { view, position: 0, step: 0 }, { width: 960, height: 440 }, COLOURS)
        .scene.shapes.some(({ content }) => content === "first1");
    assert.deepEqual([readOut(null), readOut(lens)], [false, true], view);
  }
});

test("direction marks in a token are made visible", () => {
  const { stream, lens } = read("post");
  const words = picture(stream, lens, { view: "contributions", position: 0, step: 0 }, { width: 960, height: 440 }, COLOURS).scene.shapes.filter((shape) => shape.shape === "text").map((shape) => shape.content);
  assert.ok(words.includes("⟨RLO⟩evil"));
  assert.ok(words.every((word) => !word.includes("\u202e")));
});

test("steps and parts have names that can be read aloud", () => {
  const { stream } = read("pre");
  const titles = stream.steps.map(stepTitle);
  assert.equal(new Set(titles).size, 4);
  assert.deepEqual(titles.map((title) => numbers(title)), [[], ["0"], ["0"], []]);
  for (const title of titles) assert.doesNotMatch(title, /\w[._]\w/);
  holds(partTitle(stream.parts[3]), titles[1], "1");
  assert.equal(partTitle(stream.parts[4]), "decoder.0.attention.output.bias");
});

test("what Plotly is handed is escaped, and has as many points as there are numbers", () => {
  for (const placement of ["post", "pre"]) {
    const { stream, lens } = read(placement);
    for (const view of VIEWS) {
      const { traces, arrangement } = explorable(stream, lens, { view, position: 1, step: 0 }, { ...COLOURS, fonts: {} });
      assert.ok(traces.length);
      const labels = JSON.stringify([traces.map(({ hovertemplate, texttemplate, ...trace }) => trace), arrangement]);
      assert.ok(!labels.includes("<img"), view);
    }
    const bars = explorable(stream, lens, { view: "contributions", position: 2, step: 0 }, { ...COLOURS, fonts: {} }).traces.filter((trace) => trace.type === "bar");
    const total = stream.steps.map((_, s) => bars.flatMap((trace) => trace.y.filter((__, i) => Math.round(trace.x[i]) === s)).reduce((sum, value) => sum + value, 0));
    assert.deepEqual(total, stream.norm.map((row) => row[2]));
  }
});
