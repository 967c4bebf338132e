// Pictures are data: what is drawn can be pointed at, counted and written down.
import assert from "node:assert/strict";
import { test } from "node:test";
import { strokes } from "../../static/js/draw/canvas.js";
import { probability, signed } from "../../static/js/draw/colours.js";
import { heatMap } from "../../static/js/draw/heatmap.js";
import { hatch, move, rect, scene, text } from "../../static/js/draw/scene.js";
import { number } from "../../static/js/draw/text.js";
import { svg } from "../../static/js/draw/svg.js";

const fonts = { sans: "sans", serif: "serif", mono: "mono" };
const colours = {
	tick: 13,
	small: 13,
	text: 16,
	ink: "#000000",
	inkSoft: "#333333",
	rule: "#cccccc",
	ruleStrong: "#888888",
	hatch: "#888888",
	select: "#eeeeee",
	paper: "#ffffff",
	focus: "#0000ff",
	heads: ["#0072b2", "#e69f00"],
	cividis: ["#00224e", "#fee838"],
	signed: ["#0a4a8f", "#fbfaf5", "#8f4300"],
	fonts,
};
const frame = { colours, width: 640, height: 480 };
const texts = (shapes) =>
	shapes.filter(({ shape }) => shape === "text").map(({ content }) => content);
const centre = ({ x, y, width, height }) => [x + width / 2, y + height / 2];

const map = (values, more = {}) =>
	heatMap({
		values,
		rows: values.map((_, i) => `q${i}`),
		columns: values[0].map((_, i) => `k${i}`),
		rowTitle: "query",
		columnTitle: "key",
		label: "a map",
		scale: probability(colours, "weight"),
		...frame,
		...more,
	});

test("every cell of a heat map is found where it was drawn", () => {
	const { box, at } = map([
		[0.1, 0.9, 0],
		[1, 0, 0],
	]);
	for (const row of [0, 1])
		for (const column of [0, 1, 2])
			assert.deepEqual(at(...centre(box(row, column))), { row, column });
	assert.equal(at(0, 0), null);
});

test("a small map prints its values, its row sums, its axes and the ends of its scale", () => {
	const said = texts(
		map(
			[
				[0.25, 0.75],
				[1, 0],
			],
			{ sums: true },
		).scene.shapes,
	);
	for (const word of [".25", ".75", "1.00", "query", "key", "q0", "k1", "0", "1", "weight"])
		assert.ok(said.includes(word), word);
});

test("masked cells are hatched and carry no number", () => {
	const { scene: drawn } = map([
		[1, null],
		[0.5, 0.5],
	]);
	assert.equal(drawn.shapes.filter(({ shape }) => shape === "hatch").length, 1);
	assert.ok(!texts(drawn.shapes).includes(number(null)));
});

test("a large map is one block of cells, not one shape a cell", () => {
	const values = Array.from({ length: 256 }, () => Array(256).fill(1 / 256));
	assert.ok(map(values).scene.shapes.length < 200);
});

test("hatching stays inside its cell in SVG", () => {
	const written = svg(scene(100, 100, "h", [hatch(10, 20, 30, 15, { stroke: "#000000" })]), {
		fonts,
	});
	const numbers = /d="([^"]+)"/
		.exec(written)[1]
		.split(/[ML]/)
		.filter(Boolean)
		.map((pair) => pair.split(" ").map(Number));
	for (const [x, y] of numbers)
		assert.ok(x >= 9.9 && x <= 40.1 && y >= 19.9 && y <= 35.1, `${x},${y}`);
	assert.ok(strokes({ x: 10, y: 20, width: 30, height: 15, gap: 6 }).length > 3);
});

test("SVG keeps hostile tokens as text", () => {
	const hostile = '</text><script>alert(1)</script>&"\u0000';
	const written = svg(
		scene(10, 10, hostile, [text(0, 0, hostile, { fill: "#000000", size: 10 })]),
		{ fonts, notes: [hostile] },
	);
	assert.ok(!written.includes("<script>") && !written.includes("\u0000"));
	assert.equal(written.match(/&lt;script&gt;/g).length, 3);
});

test("moving a picture moves every part of it, lines too", () => {
	const [box, line] = move(5, 7, [
		rect(1, 2, 3, 4),
		{
			shape: "path",
			points: [
				[0, 0],
				[1, 1],
			],
		},
	]);
	assert.deepEqual(
		[box.x, box.y, line.points],
		[
			6,
			9,
			[
				[5, 7],
				[6, 8],
			],
		],
	);
});

test("a signed map's scale says minus and plus the same", () => {
	const said = texts(map([[-2, 2]], { scale: signed(colours, 2, "score") }).scene.shapes);
	assert.ok(said.includes("−2") && said.includes("2"));
});
