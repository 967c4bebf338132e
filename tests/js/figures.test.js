// Figures that come drawn: what the arrangement takes for names, and what the table says of small maps and of dots.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrange } from "../../static/js/figures/arrange.js";
import { decoded } from "../../static/js/figures/traces.js";
import { restyled } from "../../static/js/draw/palette.js";
import { table } from "../../static/js/figures/table.js";

const colours = {
	tick: 13,
	fonts: { mono: "mono", sans: "sans" },
	heads: [],
	cividis: ["#000000", "#ffffff"],
	sunken: "#eeeeee",
	ruleStrong: "#888888",
};
const space = {
	size: { width: 400, height: 300 },
	colours,
	measure: (content) => 8 * content.length,
};
const axis = (title, range, tickvals) => ({
	title: { text: title },
	range,
	tickvals,
	ticktext: tickvals.map(String),
	type: "linear",
});
const figure = (data, x, y, more = {}) => ({
	data,
	layout: { xaxis: x, yaxis: y, meta: {}, ...more },
});

test("names stand at every whole number from 0 on; whole numbers of a scale are marked and crossed by lines", () => {
	const { layout } = arrange(
		figure(
			[],
			axis("name", [-0.5, 2.5], [0, 1, 2]),
			axis("value", [-3.4, 3.4], [-3, -2, -1, 0, 1, 2, 3]),
		),
		space,
	);
	assert.deepEqual([layout.xaxis.ticks, layout.xaxis.showgrid], ["", false]);
	assert.deepEqual([layout.yaxis.ticks, layout.yaxis.showgrid], ["outside", true]);
});

test("an even panel is a square where both ranges are as long", () => {
	const y = { ...axis("after", [-2, 2], [-2, 0, 2]), scaleanchor: "x" };
	const { panels } = arrange(figure([], axis("before", [-2, 2], [-2, 0, 2]), y), space);
	assert.ok(Math.abs(panels[0].box.width - panels[0].box.height) < 1e-9);
});

test("a shape has the edge of the theme, whatever it came with, and its own ground", () => {
	const chosen = {
		name: "chosen",
		type: "rect",
		fillcolor: "#123456",
		line: { color: "#123456", width: 1 },
	};
	const { layout } = arrange(
		figure([], axis("x", [0, 1], []), axis("y", [1, 0], []), { shapes: [chosen] }),
		space,
	);
	assert.deepEqual(
		[layout.shapes[0].fillcolor, layout.shapes[0].line.color],
		["#123456", "#888888"],
	);
});

test("a table of small maps has a row for each row of each, and a cell without a number is empty", () => {
	const z = [
		[null, null, null, null, null],
		[1, null, null, 3, null],
		[2, 4, null, 5, 6],
	];
	const trace = {
		type: "heatmap",
		z,
		meta: {
			size: [2, 2],
			tiles: [
				["first", 1, 0],
				["second", 1, 3],
			],
		},
	};
	const { head, rows } = table(
		figure([trace], axis("writer", [0, 5], []), axis("depth", [3, 0], [])),
	);
	assert.deepEqual(head, ["depth \\ writer", "1", "2"]);
	assert.deepEqual(rows, [
		["first 1", 1, ""],
		["first 2", 2, 4],
		["second 1", 3, ""],
		["second 2", 5, 6],
	]);
});

test("a table of dots says what each is and both its numbers", () => {
	const trace = {
		mode: "markers",
		x: [1, 2],
		y: [3, 4],
		customdata: ["channel 0", "channel &lt;1&gt;"],
	};
	const { head, rows } = table(
		figure([trace], axis("before", [0, 5], []), axis("after", [0, 5], [])),
	);
	assert.deepEqual(head, ["", "before", "after"]);
	assert.deepEqual(rows, [
		["channel 0", 1, 3],
		["channel <1>", 2, 4],
	]);
});

test("a table of small maps whose cells are tokens has a row for each map and a column for each token", () => {
	const z = [
		[5, null, 1, 2],
		[null, null, 3, 4],
	];
	const meta = {
		size: [2, 4],
		tiles: [["head &lt;0&gt;", 0, 0]],
		tokens: [
			[0, 0],
			[0, 2],
			[0, 3],
			[1, 2],
			[1, 3],
		],
		token_names: ["[CLS]", "1,1", "1,2", "2,1", "2,2"],
	};
	const { head, rows } = table(
		figure([{ type: "heatmap", z, meta }], axis("column", [0, 4], []), axis("row", [2, 0], [])),
	);
	assert.deepEqual(head, ["", "[CLS]", "1,1", "1,2", "2,1", "2,2"]);
	assert.deepEqual(rows, [["head <0>", 5, 1, 2, 3, 4]]);
});

test("numbers in three dimensions are decoded as they were written", () => {
	const bdata = btoa(String.fromCharCode(...Array(12).keys()));
	const { z } = decoded({ z: { dtype: "u1", bdata, shape: "2, 2, 3" } });
	assert.deepEqual(
		z.map((row) => row.map((cell) => Array.from(cell))),
		[
			[
				[0, 1, 2],
				[3, 4, 5],
			],
			[
				[6, 7, 8],
				[9, 10, 11],
			],
		],
	);
});

test("a number that is written as the place of its level is that level", () => {
	const levels = { dtype: "f4", bdata: btoa(String.fromCharCode(0, 0, 0, 63, 0, 0, 192, 127)) };
	const { z } = decoded({ z: { dtype: "u1", bdata: btoa("\0\0\x01\0"), shape: "2, 2", levels } });
	assert.deepEqual(
		z.map((row) => Array.from(row)),
		[
			[0.5, 0.5],
			[Number.NaN, 0.5],
		],
	);
});

test("a scale may go from one role to another, and from clear to a role", () => {
	const theme = { ...colours, paper: "#ffffff", ink: "#000000", cross: "#ad3f76" };
	const scale = (...roles) =>
		restyled([{ type: "heatmap", meta: { scale: roles } }], theme)[0].colorscale;
	assert.deepEqual(scale("paper", "ink"), [
		[0, "#ffffff"],
		[1, "#000000"],
	]);
	assert.deepEqual(scale("clear cross", "cross"), [
		[0, "#ad3f7600"],
		[1, "#ad3f76"],
	]);
});

test("where the page says what the axes are, their titles leave the room to the cells", () => {
	const named = (title) => ({ ...axis(title, [-0.5, 1.5], [0, 1]), side: "top" });
	const of = (captioned) =>
		arrange(
			figure([], named("class"), axis("query", [1.5, -0.5], [0, 1]), {
				meta: { captioned },
			}),
			space,
		);
	const [plain, captioned] = [of(false), of(true)];
	assert.deepEqual(
		[plain, captioned].map(({ layout }) => layout.annotations.map(({ text }) => text)),
		[["query", "class"], []],
	);
	assert.ok(captioned.panels[0].box.height > plain.panels[0].box.height);
});

test("panels of a row may have their own widths", () => {
	const { panels } = arrange(
		figure([], axis("x", [0, 1], []), axis("y", [0, 1], []), {
			xaxis2: axis("x", [0, 1], []),
			yaxis2: axis("y", [0, 1], []),
			meta: { rows: [[2, 1, false, [0.75, 0.25]]] },
		}),
		space,
	);
	assert.ok(
		panels[0].box.x < 300 && panels[0].box.x + panels[0].box.width <= 300 && panels[1].box.x >= 300,
	);
});
