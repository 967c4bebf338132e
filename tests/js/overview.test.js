// The overview's drawing is read off the modules: nothing in it is known beforehand.
import assert from "node:assert/strict";
import { test } from "node:test";
import { draw } from "../../static/js/views/overview-drawing.js";
import { besides, census, holders, stacks } from "../../static/js/views/overview-parts.js";
import { has } from "./said.js";

const leaf = (name, shape) => ({
	name,
	type: "Linear",
	parameters: { weight: shape },
	count: shape[0] * shape[1],
	modules: [],
});
const sum = (modules) => modules.reduce((total, { count }) => total + count, 0);
const tree = (name, type, modules, parameters = {}) => ({
	name,
	type,
	parameters,
	count:
		sum(modules) +
		Object.values(parameters).reduce((total, shape) => total + shape.reduce((a, b) => a * b, 1), 0),
	modules,
});

function model(layers, cross) {
	const block = (stack, i, kinds) =>
		tree(
			`${stack}.${i}`,
			"Block",
			kinds.map((kind) => leaf(`${stack}.${i}.${kind}`, [4, 4])),
		);
	const stack = (name, kinds) =>
		tree(
			name,
			"Stack",
			Array.from({ length: layers }, (_, i) => block(name, i, kinds)),
		);
	const decoder = stack(
		"decoder",
		cross ? ["attention", "cross_attention", "feed_forward"] : ["attention", "feed_forward"],
	);
	return tree("", "Transformer", [
		tree("embedding", "Embedding", [], { token: [10, 4] }),
		...(cross ? [stack("encoder", ["attention", "feed_forward"])] : []),
		decoder,
	]);
}

const recorded = (root) =>
	stacksOf(root).flatMap((name) => [
		{
			name: `${name}.embedding.sum`,
			shape: [3, 4],
			axes: [READS[stacksOf(root).length][name], "channel"],
		},
		...blocks(root, name).flatMap(({ name: block, modules }) => [
			{ name: `${block}.residual.in`, shape: [3, 4] },
			{ name: `${block}.residual.out`, shape: [3, 4] },
			...modules.flatMap(({ name: part }) => [
				{ name: `${part}.pattern`, shape: [2, 3, 3] },
				{ name: `${part}.post`, shape: [3, 16] },
				{ name: `${part}.out`, shape: [3, 4] },
			]),
		]),
	]);
const READS = { 1: { decoder: "text" }, 2: { encoder: "source", decoder: "target" } };
const stacksOf = (root) =>
	root.modules.filter(({ type }) => type === "Stack").map(({ name }) => name);
const blocks = (root, stack) => root.modules.find(({ name }) => name === stack).modules;

test("an encoder's block has two sub-layers and a decoder's three", () => {
	const root = model(3, true);
	const [encoder, decoder] = stacks(root, recorded(root));
	assert.deepEqual(
		encoder.blocks.map(({ parts }) => parts.length),
		[2, 2, 2],
	);
	assert.deepEqual(
		decoder.blocks[1].parts.map(({ kind }) => kind),
		["attention", "cross_attention", "feed_forward"],
	);
	assert.deepEqual(
		decoder.blocks[0].parts.map(({ inner }) => inner),
		["2×3×3", "2×3×3", "3×16"],
	);
	assert.deepEqual([encoder.axis, decoder.axis], ["source", "target"]);
});

test("the parameters shown add up to the model's", () => {
	const root = model(4, true);
	assert.equal(
		census(root).reduce((total, { times, each }) => total + times * each, 0),
		root.count,
	);
	assert.equal(
		holders(root).reduce((total, [, , count]) => total + count, 0),
		root.count,
	);
});

const colours = {
	tick: 13,
	text: 16,
	heads: ["#000000"],
	cividis: ["#000000", "#ffffff"],
	paper: "#ffffff",
};
const scale = { low: 0, high: 1, unit: "weight", ramp: new Uint8ClampedArray(768), stops: [] };
const picture = (root, width, choices = {}) =>
	draw({
		stacks: stacks(root, recorded(root)),
		beside: [],
		tokens: {
			source: ["a", "b", "c"],
			target: ["<s>", "x"],
			text: ["<s>", "a"],
			expected: ["x", "</s>"],
		},
		chances: [0.5, 1],
		patterns: {},
		placement: "post",
		added: true,
		relative: "none",
		...choices,
		output: "2×10",
		href: (part) => `/${part}`,
		scale,
		colours,
		width,
		height: 440,
	});
const flat = (shapes) => shapes.flatMap((shape) => [shape, ...flat(shape.shapes ?? [])]);

for (const [width, layers, cross] of [
	[1248, 3, true],
	[360, 3, true],
	[328, 1, false],
	[1248, 6, false],
	[992, 12, true],
]) {
	test(`everything lies inside a drawing ${width} wide, with ${layers} layers, ${cross ? "two stacks" : "one stack"}`, () => {
		const root = model(layers, cross);
		const { scene } = picture(root, width);
		for (const shape of flat(scene.shapes)) {
			const xs = shape.points?.map(([x]) => x) ?? [
				shape.x ?? 0,
				(shape.x ?? 0) + (shape.width ?? 0),
			];
			assert.ok(
				Math.min(...xs) >= -0.5 && Math.max(...xs) <= width + 0.5,
				JSON.stringify(shape).slice(0, 200),
			);
		}
	});

	test(`every sub-layer is a link, ${width} wide, ${layers} layers`, () => {
		const root = model(layers, cross);
		const links = flat(picture(root, width).scene.shapes)
			.filter(({ href }) => href)
			.map(({ href }) => href);
		for (const stack of stacks(root, recorded(root)))
			for (const block of stack.blocks)
				for (const part of block.parts) assert.ok(links.includes(`/${part.name}`), part.name);
		for (const part of ["embedding", "position", "output"])
			assert.ok(links.includes(`/${part}`), part);
	});
}

test("a stack whose positions are 0, as those of object queries, is told none", () => {
	const root = model(2, true);
	const of = [
		...recorded(root),
		{ name: "decoder.embedding.position", shape: [3, 4], formula: "0" },
	];
	assert.deepEqual(
		stacks(root, of).map(({ told }) => told),
		[true, false],
	);
});

test("a stack reads what its embedding lies on", () => {
	const root = model(1, false);
	assert.deepEqual(
		stacks(root, recorded(root)).map(({ axis }) => axis),
		["text"],
	);
});

test("a norm is drawn only where one stands, and positions where they are told", () => {
	const shapes = (choices) => flat(picture(model(2, false), 1248, choices).scene.shapes);
	const times = (choices, word) => shapes(choices).filter(({ content }) => content === word).length;
	const added = (choices) =>
		shapes(choices).filter(
			({ href, label }) => href === "/position" && has(label, "decoder.embedding.position"),
		).length;
	assert.equal(times({ placement: "none" }, "N"), 0);
	for (const placement of ["post", "pre", "admin", "b2t", "branch"])
		assert.equal(times({ placement }, "N"), 4, placement);
	assert.deepEqual([added({}), times({}, "RoPE")], [1, 0]);
	const relative = { added: false, relative: "rope" };
	assert.deepEqual([added(relative), times(relative, "RoPE")], [0, 2]);
});

test("what went past the stack and what is said besides are drawn where the modules have them, inside the drawing, with the shapes of the run", () => {
	const root = model(2, false);
	assert.deepEqual(besides(root, recorded(root)), []);
	const said = { bypass: ["4", "1×144", "1×72"], box: ["8×4"] };
	for (const kind of ["bypass", "box"]) {
		root.modules.push(leaf(kind, [4, 4]));
		const of = [
			{ name: "bypass.numbers", shape: [1, 4] },
			{ name: "bypass.post1", shape: [1, 144] },
			{ name: "bypass.post2", shape: [1, 72] },
			{ name: "box.out", shape: [8, 4] },
		];
		const found = besides(root, of).filter((one) => one.kind === kind);
		assert.equal(found.length, 1);
		for (const width of [1248, 360]) {
			const { scene } = picture(root, width, { beside: found });
			const all = flat(scene.shapes);
			const links = all.filter(({ href }) => href === `/${kind}`);
			assert.ok(
				links.some(({ label }) => has(label, ...said[kind])),
				`${kind} ${width}`,
			);
			for (const shape of all) {
				const ys = shape.points?.map(([, y]) => y) ?? [
					shape.y ?? 0,
					(shape.y ?? 0) + (shape.height ?? 0),
				];
				assert.ok(Math.max(...ys) <= scene.height + 0.5, JSON.stringify(shape).slice(0, 200));
			}
		}
	}
});
