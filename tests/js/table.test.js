// A figure's numbers as a table and as a file: every number stands under the name of its axis or line,
// in the row of its place.
import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../static/js/draw/table-text.js";
import { table } from "../../static/js/figures/table.js";

const named = (title, names) => ({
	title: { text: title },
	tickvals: names.map((_, i) => i),
	ticktext: names,
});
const scale = (title) => ({ title: { text: title }, tickvals: [0, 500], ticktext: ["0", "500"] });
const NAMES = ["first", "second", "third"];
// Numbers along one axis are hundreds and those along the other are below ten.
const [HIGH, LOW] = [
	[100, 300, 200],
	[1.5, 2.5, 3.5],
];

/** Every kind of figure that has a table, and its numbers by row and column. */
const FIGURES = {
	"upright bars": [
		[{ type: "bar", name: "lengths", x: [0, 1, 2], y: HIGH }],
		named("name", NAMES),
		scale("length"),
		NAMES.map((name, i) => ({ name, lengths: HIGH[i] })),
	],
	"level bars": [
		[{ type: "bar", orientation: "h", x: HIGH, y: [0, 1, 2] }],
		scale("length"),
		named("name", NAMES),
		NAMES.map((name, i) => ({ name, length: HIGH[i] })),
	],
	"two lines that share some places": [
		[
			{ type: "scatter", mode: "lines", name: "up", x: [1, 2, 4], y: LOW },
			{ type: "scatter", mode: "lines", name: "down", x: [2, 4, 8], y: HIGH },
		],
		scale("depth"),
		scale("length"),
		[
			{ depth: 1, up: 1.5, down: "—" },
			{ depth: 2, up: 2.5, down: 100 },
			{ depth: 4, up: 3.5, down: 300 },
			{ depth: 8, up: "—", down: 200 },
		],
	],
	"dots with names": [
		[{ type: "scatter", mode: "markers", x: LOW, y: HIGH, customdata: NAMES }],
		scale("before"),
		scale("after"),
		NAMES.map((name, i) => ({ "": name, before: LOW[i], after: HIGH[i] })),
	],
	"points that name their columns": [
		[
			{
				type: "bar",
				x: LOW,
				y: [0, 1, 2],
				customdata: NAMES.map((name, i) => [name, HIGH[i]]),
				meta: { columns: ["token", "firing"] },
			},
		],
		scale("m"),
		named("key", NAMES),
		NAMES.map((name, i) => ({ token: name, firing: HIGH[i] })),
	],
	"a heat map": [
		[{ type: "heatmap", z: [HIGH, LOW, [7, null, 9]] }],
		named("key", ["a", "b", "c"]),
		named("query", NAMES),
		[HIGH, LOW, [7, null, 9]].map(([a, b, c], i) => ({ "query \\ key": NAMES[i], a, b, c })),
	],
};

/** The lines of a CSV file as cells, without its notes. */
const cellsOf = (text) =>
	text
		.split("\r\n")
		.filter((line) => !line.startsWith("#"))
		.map((line) => line.split(","));

for (const [kind, [data, xaxis, yaxis, wanted]] of Object.entries(FIGURES)) {
	const shown = table({ data, layout: { xaxis, yaxis } });

	test(`the table of ${kind} has every number under its name`, () => {
		const rows = shown.rows.map((row) =>
			Object.fromEntries(row.map((cell, i) => [shown.head[i], cell])),
		);
		assert.deepEqual(rows, wanted, `the table is ${JSON.stringify([shown.head, ...shown.rows])}`);
	});

	test(`the file of ${kind} has the columns and the numbers of the table`, () => {
		const [head, ...rows] = cellsOf(csv(shown, ["from here"]));
		const written = (cell) => (cell === null ? "" : String(cell));
		assert.deepEqual(head, shown.head.map(written), `the file begins with ${head}`);
		for (const [i, row] of shown.rows.entries())
			assert.deepEqual(rows[i], row.map(written), `row ${i} of the file is ${rows[i]}`);
		assert.equal(rows.length, shown.rows.length);
	});
}
