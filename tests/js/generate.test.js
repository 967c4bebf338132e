// The generate page's pictures: what the numbers of an answer become.

import assert from "node:assert/strict";
import { test } from "node:test";

import { forcingPicture, sign } from "../../static/js/views/generate-forcing.js";
import { call, look, shown, stepCount, stepIndex, stepValue } from "../../static/js/views/generate-question.js";
import { sayCandidate, stepPicture, stepsTable } from "../../static/js/views/generate-step.js";
import { columns, follow, lineage, sayNode, treePicture, treeTable } from "../../static/js/views/generate-tree.js";
import { has, holds, inOrder, numbers, wording } from "./said.js";

const COLOURS = {
  paper: "#ffffff", sunken: "#f0f0f0", ink: "#000000", inkSoft: "#555555", rule: "#cccccc", ruleStrong: "#888888", select: "#eeddaa", error: "#aa0000", cross: "#ad3f76",
  heads: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"], cividis: ["#00224e", "#707173", "#fee838"], signed: ["#0000ff", "#ffffff", "#ff8800"],
  fonts: { sans: "", serif: "", mono: "" }, tick: 13, small: 13, text: 16,
};
const SIZE = { width: 900, height: 460 };

const candidate = (text, id, probability, after = null, chosen = false) => ({ text, id, probability, after, chosen });

const step = (index, candidates, more = {}) => {
  const taken = candidates.find((one) => one.chosen);
  const sum = candidates.reduce((total, one) => total + one.probability, 0);
  return {
    index, candidates, token: { text: taken.text, id: taken.id }, probability: taken.probability, log_probability: Math.log(taken.probability), sum: -1, rank: 1,
    drawn: null, kept: null, rest: { tokens: 97, probability: 1 - sum, after: null }, text: "je", ...more,
  };
};

const STEPS = [
  step(0, [candidate("je", 5, 0.5, null, true), candidate("j'", 6, 0.4)]),
  step(1, [candidate("suis", 7, 0.8, null, true), candidate("<b>", 8, 0.1)]),
];

/** Two beams: "a" is better at first, "b c" in the end. Number 0 is <s>. */
const node = (number, parent, step, text, id, score, kept, finished = false) => ({ number, parent, step, token: { text, id }, log_probability: -0.5, score, kept, finished });
const TREE = {
  nodes: [
    node(0, null, -1, "<s>", 1, 0, false),
    node(1, 0, 0, "a", 5, -0.5, true), node(2, 0, 0, "b", 6, -0.9, true),
    node(3, 1, 1, "c", 7, -2, true), node(4, 1, 1, "d", 8, -3, false), node(5, 2, 1, "</s>", 2, -1, true, true), node(6, 2, 1, "e", 9, -4, false),
  ],
  kept: [[1, 2], [5, 3]],
  hypotheses: [{ number: 5, text: "b", tokens: 2, score: -1, finished: true }, { number: 3, text: "a c", tokens: 2, score: -2, finished: false }],
};

const said = (text, id, probability) => ({ text, id, probability });
const FORCING = {
  reference: ["j'", "ai", "</s>"], shared: 1, largest_difference: 1e-7, first_difference: 1, log_probability: -2,
  rows: [
    { index: 0, read: "<s>", expected: said("j'", 6, 0.4), predicted: said("je", 5, 0.5), written: said("je", 5, 0.5), same_input: true, agrees: true },
    { index: 1, read: "j'", expected: said("ai", 9, 0.6), predicted: said("ai", 9, 0.6), written: said("suis", 7, 0.1), same_input: false, agrees: false },
    { index: 2, read: "ai", expected: said("</s>", 2, 0.7), predicted: said("</s>", 2, 0.7), written: null, same_input: false, agrees: false },
  ],
};

const words = (scene) => scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("a question holds only what its strategy uses, so the same text has one address", () => {
  const state = { model: "translator", source: "hello", strategy: "greedy", temperature: "2", top_k: "3", beams: "4", seed: "1", show: "step", step: "2" };
  assert.deepEqual(Object.entries(call(state)[1]).filter(([, value]) => value !== undefined), [["model", "translator"], ["source", "hello"], ["strategy", "greedy"]]);
  assert.equal(call({ ...state, strategy: "beam" })[1].beams, "4");
  assert.equal(call({ ...state, strategy: "sample" })[1].temperature, "2");
  assert.equal(call({ ...state, strategy: "sample" })[1].beams, undefined);
});

test("steps are counted from 1 in the address, the last is the end, and nonsense is the first", () => {
  assert.deepEqual(["1", "3", "end", "99", "-4", "x"].map((value) => stepIndex(value, 5)), [0, 2, 4, 4, 0, 0]);
  assert.deepEqual([0, 3, 4].map((index) => stepValue(index, 5)), ["1", "4", "end"]);
});

test("a picture that the answer cannot give becomes the picture of one step", () => {
  assert.equal(shown({ tree: TREE }, "tree"), "tree");
  assert.equal(shown({}, "tree"), "step");
  assert.equal(shown({}, "forcing"), "step");
  assert.equal(stepCount({ tree: TREE, steps: [1, 2, 3] }, "tree"), 2);
});

test("what a step looked at is the same from the answer's tensors and from the event stream", () => {
  const heads = [[0.25, 0.75], [0.75, 0.25]];
  const answer = {
    axes: { source: {} },
    tensors: { "decoder.0.cross_attention.pattern": { data: heads.map((row) => [row]) }, "decoder.0.cross_attention.pattern.mean": { data: [[0.5, 0.5]] } },
  };
  const streamed = { index: 0, attention: [heads] };
  for (const head of ["mean", "0", "1"]) assert.deepEqual(look(answer, streamed, "0", head), look(answer, { index: 0 }, "0", head));
});

test("a bar is as long as its probability on a scale that is always 0 to 1", () => {
  const { scene } = stepPicture({ steps: STEPS, index: 1, memory: ["<s>", "cold"], weights: [0.2, 0.8], prompt: "<s>", looking: "", colours: COLOURS, ...SIZE });
  const ticks = scene.shapes.filter(({ shape, content }) => shape === "text" && (content === "0" || content === "1")).filter(({ anchor }) => anchor === "middle");
  const unit = ticks.find(({ content }) => content === "1").x - ticks.find(({ content }) => content === "0").x;
  const bars = scene.shapes.filter(({ shape, x, fill }) => shape === "rect" && fill?.startsWith("rgb") && x === ticks.find(({ content }) => content === "0").x);
  const probabilities = [0.8, 0.1, 1 - 0.8 - 0.1];
  assert.equal(bars.length, 3);
  bars.forEach(({ width }, i) => assert.ok(Math.abs(width / unit - probabilities[i]) < 1e-9));
});

test("every candidate, every source token and its weight can be read, and markup stays text", () => {
  const { scene } = stepPicture({ steps: STEPS, index: 1, memory: ["<s>", "cold"], weights: [0.2, 0.8], prompt: "<s>", looking: "", colours: COLOURS, ...SIZE });
  for (const expected of ["cold", ".20", ".80", "▸ suis", "<b>"])
    assert.ok(words(scene).includes(expected), expected);
  assert.ok(words(scene).some((word) => has(word, "97")));
});

test("a token not yet written is not shown", () => {
  const { scene } = stepPicture({ steps: STEPS, index: 0, memory: ["<s>"], weights: [1], prompt: "<s>", looking: "", colours: COLOURS, ...SIZE });
  assert.ok(!words(scene).some((word) => word.includes("suis")));
});

test("the drawn number stands in the share of the token it chose", () => {
  const sampled = step(0, [candidate("a", 5, 0.5, 0.6), candidate("b", 6, 0.3, 0.4, true), candidate("c", 7, 0.1, 0)], { drawn: 0.7, kept: 2, rest: { tokens: 97, probability: 0.1, after: 0 } });
  const { scene } = stepPicture({ steps: [sampled], index: 0, memory: ["x"], weights: [1], prompt: "<s>", looking: "", colours: COLOURS, ...SIZE });
  const label = words(scene);
  assert.ok(label.some((word) => has(word, "0.700")));
  for (const both of [[".500", ".600"], [".300", ".400"]])
    assert.ok(label.some((word) => has(word, ...both)), both.join());
  const removed = label.filter((word) => has(word, ".100"));
  assert.equal(removed.length, 2, "c, and all others together");
  for (const word of removed) assert.match(wording(word), /\p{L}/u);
  const needle = scene.shapes.find(({ shape, stroke }) => shape === "path" && stroke === COLOURS.error).points[0][0];
  const share = scene.shapes.filter(({ shape, fill, height }) => shape === "rect" && fill === COLOURS.select && height < 30).at(-1);
  assert.ok(share.x <= needle && needle <= share.x + share.width);
  const gone = sayCandidate(sampled.candidates[2]);
  holds(gone, "c");
  assert.deepEqual(numbers(gone), ["0.100"]);
  assert.notEqual(gone, sayCandidate(candidate("c", 7, 0.1)), "that it is removed is told");
});

test("a table row for every candidate and one for all others", () => assert.equal(stepsTable(STEPS).rows.length, 6));

test("a column of the tree ranks what was kept before what was dropped", () => {
  const [first, second] = columns(TREE);
  assert.deepEqual(first.map((entry) => [entry.node.number, entry.stands]), [[1, true], [2, true]]);
  assert.deepEqual(second.map((entry) => [entry.node.number, entry.stands]), [[5, true], [3, true], [4, false], [6, false]]);
});

test("a hypothesis that has ended waits in the columns after its end", () => {
  const longer = { ...TREE, kept: [...TREE.kept, [5, 3]] };
  assert.deepEqual(columns(longer)[2].map((entry) => [entry.node.number, entry.waits]), [[5, true], [3, true]]);
});

test("a text's path through the tree ends where the tree does not know it", () => {
  assert.deepEqual(lineage(TREE, 5), [0, 2, 5]);
  assert.deepEqual(follow(TREE, [5, 7, 9]), [0, 1, 3]);
});

test("kept and dropped differ by more than colour: a box against a cross, a line against dashes", () => {
  const { scene } = treePicture({ tree: TREE, index: 1, greedy: [5, 7], colours: COLOURS, ...SIZE });
  assert.ok(words(scene).includes("× d"));
  assert.ok(!words(scene).includes("× c"));
  const links = scene.shapes.filter(({ shape }) => shape === "link");
  assert.equal(links.filter(({ dash }) => dash).length, 2);
  assert.equal(links.filter(({ line }) => line > 3).length, 2, "the best text is the thick line");
});

test("the tree says of each hypothesis what became of it, and lists all of them", () => {
  const sentences = columns(TREE)[1].map((entry) => sayNode(TREE, entry));
  inOrder(sentences[0], "b", "</s>");
  holds(sentences[0], "−1.000", "1", ".607");
  holds(sentences[3], "b", "e", "−4.000");
  const [ended, kept, ...dropped] = sentences.map((one) => wording(one, ..."abcde", "</s>"));
  assert.equal(new Set([ended, kept, dropped[0]]).size, 3);
  assert.equal(dropped[0], dropped[1]);
  assert.equal(treeTable(TREE).rows.length, 6);
});

test("long trees show the steps around the one in focus", () => {
  const steps = 40;
  const nodes = [TREE.nodes[0], ...Array.from({ length: steps }, (_, i) => node(i + 1, i, i, `w${i}`, 9, -i - 1, true))];
  const tree = { nodes, kept: nodes.slice(1).map(({ number }) => [number]), hypotheses: [] };
  const picture = treePicture({ tree, index: 30, greedy: [], colours: COLOURS, width: 360, height: 400 });
  assert.ok(picture.first <= 30 && 30 < picture.first + picture.columns);
  assert.ok(words(picture.scene).includes("w30"));
});

test("rows of teacher forcing are equal, alike or different", () => {
  assert.deepEqual(FORCING.rows.map(sign), ["=", "≠", "≠"]);
  assert.equal(sign({ same_input: false, agrees: true }), "≈");
});

test("both lanes show their words, and the frame stands around the first row that differs", () => {
  const { scene, box } = forcingPicture({ forcing: FORCING, steps: STEPS, index: 1, prompt: "<s>", colours: COLOURS, ...SIZE });
  for (const expected of ["ai", "suis", "→ j'", "<s>"]) assert.ok(words(scene).includes(expected), expected);
  const frames = scene.shapes.filter(({ stroke, dash }) => stroke === COLOURS.error && dash);
  const column = box(0, 1);
  assert.equal(frames.length, 2);
  for (const { x, width } of frames) assert.ok(x >= column.x && x + width <= column.x + column.width);
});
