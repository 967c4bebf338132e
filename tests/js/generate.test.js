// The generate page's pictures: what the numbers of an answer become.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
	call,
	whose,
	shown,
	stepCount,
	stepIndex,
	stepValue,
} from "../../static/js/views/generate-question.js";
import {
	columns,
	follow,
	lineage,
	sayNode,
	treePicture,
	treeTable,
} from "../../static/js/views/generate-tree.js";
import { holds, inOrder, wording } from "./said.js";

const COLOURS = {
	paper: "#ffffff",
	sunken: "#f0f0f0",
	ink: "#000000",
	inkSoft: "#555555",
	rule: "#cccccc",
	ruleStrong: "#888888",
	select: "#eeddaa",
	error: "#aa0000",
	cross: "#ad3f76",
	heads: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"],
	cividis: ["#00224e", "#707173", "#fee838"],
	signed: ["#0000ff", "#ffffff", "#ff8800"],
	fonts: { sans: "", serif: "", mono: "" },
	tick: 13,
	small: 13,
	text: 16,
};
const SIZE = { width: 900, height: 460 };

/** Two beams: "a" is better at first, "b c" in the end. Number 0 is <s>. */
const node = (number, parent, step, text, id, score, kept, finished = false) => ({
	number,
	parent,
	step,
	token: { text, id },
	log_probability: -0.5,
	score,
	kept,
	finished,
});
const TREE = {
	nodes: [
		node(0, null, -1, "<s>", 1, 0, false),
		node(1, 0, 0, "a", 5, -0.5, true),
		node(2, 0, 0, "b", 6, -0.9, true),
		node(3, 1, 1, "c", 7, -2, true),
		node(4, 1, 1, "d", 8, -3, false),
		node(5, 2, 1, "</s>", 2, -1, true, true),
		node(6, 2, 1, "e", 9, -4, false),
	],
	kept: [
		[1, 2],
		[5, 3],
	],
	hypotheses: [
		{ number: 5, text: "b", tokens: 2, score: -1, finished: true },
		{ number: 3, text: "a c", tokens: 2, score: -2, finished: false },
	],
};

const words = (scene) =>
	scene.shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);

test("a question holds only what its strategy uses, so the same text has one address", () => {
	const state = {
		model: "translator",
		source: "hello",
		strategy: "greedy",
		temperature: "2",
		top_k: "3",
		beams: "4",
		seed: "1",
		show: "step",
		step: "2",
	};
	assert.deepEqual(
		Object.entries(call(state)[1]).filter(([, value]) => value !== undefined),
		[
			["model", "translator"],
			["source", "hello"],
			["strategy", "greedy"],
		],
	);
	assert.equal(call({ ...state, strategy: "beam" })[1].beams, "4");
	assert.equal(call({ ...state, strategy: "sample" })[1].temperature, "2");
	assert.equal(call({ ...state, strategy: "sample" })[1].beams, undefined);
});

test("steps are counted from 1 in the address, the last is the end, and nonsense is the first", () => {
	assert.deepEqual(
		["1", "3", "end", "99", "-4", "x"].map((value) => stepIndex(value, 5)),
		[0, 2, 4, 4, 0, 0],
	);
	assert.deepEqual(
		[0, 3, 4].map((index) => stepValue(index, 5)),
		["1", "4", "end"],
	);
});

test("a picture that the answer cannot give becomes the picture of one step", () => {
	assert.equal(shown({ tree: TREE }, "tree"), "tree");
	assert.equal(shown({}, "tree"), "step");
	assert.equal(shown({}, "forcing"), "step");
	assert.equal(stepCount({ tree: TREE, steps: [1, 2, 3] }, "tree"), 2);
});

test("a layer and a head that the model has not are its last, and the mean has no head", () => {
	const config = { n_decoder_layers: 3, n_heads: 4 };
	assert.deepEqual(whose({ layer: "9", head: "9" }, config), { layer: 2, head: 3 });
	assert.deepEqual(whose({ layer: "0", head: "mean" }, config), { layer: 0, head: "" });
});

test("a column of the tree ranks what was kept before what was dropped", () => {
	const [first, second] = columns(TREE);
	assert.deepEqual(
		first.map((entry) => [entry.node.number, entry.stands]),
		[
			[1, true],
			[2, true],
		],
	);
	assert.deepEqual(
		second.map((entry) => [entry.node.number, entry.stands]),
		[
			[5, true],
			[3, true],
			[4, false],
			[6, false],
		],
	);
});

test("a hypothesis that has ended waits in the columns after its end", () => {
	const longer = { ...TREE, kept: [...TREE.kept, [5, 3]] };
	assert.deepEqual(
		columns(longer)[2].map((entry) => [entry.node.number, entry.waits]),
		[
			[5, true],
			[3, true],
		],
	);
});

test("a text's path through the tree ends where the tree does not know it", () => {
	assert.deepEqual(lineage(TREE, 5), [0, 2, 5]);
	assert.deepEqual(follow(TREE, [5, 7, 9]), [0, 1, 3]);
});

test("kept and dropped differ by more than colour: a box against a cross, a line against dashes", () => {
	const { scene } = treePicture({
		tree: TREE,
		index: 1,
		greedy: [5, 7],
		colours: COLOURS,
		...SIZE,
	});
	assert.ok(words(scene).includes("× d"));
	assert.ok(!words(scene).includes("× c"));
	const links = scene.shapes.filter(({ shape }) => shape === "link");
	assert.equal(links.filter(({ dash }) => dash).length, 2);
	assert.equal(links.filter(({ line }) => line > 3).length, 2, "the best text is the thick line");
});

test("the tree says of each hypothesis what became of it, and lists all of them", () => {
	const sentences = columns(TREE)[1].map((entry) => sayNode(TREE, entry));
	inOrder(sentences[0], "b", "</s>");
	holds(sentences[0], "−1.000", "1", "−0.500");
	holds(sentences[3], "b", "e", "−4.000");
	const [ended, kept, ...dropped] = sentences.map((one) => wording(one, ..."abcde", "</s>"));
	assert.equal(new Set([ended, kept, dropped[0]]).size, 3);
	assert.equal(dropped[0], dropped[1]);
	assert.equal(treeTable(TREE).rows.length, 6);
});

test("a long tree has every step, each as wide as its words need", () => {
	const steps = 40;
	const nodes = [
		TREE.nodes[0],
		...Array.from({ length: steps }, (_, i) => node(i + 1, i, i, `w${i}`, 9, -i - 1, true)),
	];
	const tree = { nodes, kept: nodes.slice(1).map(({ number }) => [number]), hypotheses: [] };
	const {
		scene,
		columns: count,
		box,
	} = treePicture({ tree, index: 30, greedy: [], colours: COLOURS, width: 360, height: 400 });
	assert.equal(count, steps);
	for (const word of ["w0", "w30", "w39"]) assert.ok(words(scene).includes(word), word);
	assert.ok(box(0, steps - 1).x + box(0, steps - 1).width <= scene.width);
	assert.ok(box(0, 0).width > 5 * COLOURS.tick);
});
