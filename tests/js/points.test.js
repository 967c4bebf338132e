// What is said of a point at the pointer and by the arrow keys: its own number, and the names of its
// own row and column.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellName } from "../../static/js/figures/traces.js";
import { significant } from "../../static/js/draw/text.js";
import { lines, spoken } from "../../static/js/figures/hover.js";
import { pointOf, walk } from "../../static/js/figures/walk.js";

const QUERIES = ["the", "&lt;s&gt;", "cat"];
const KEYS = ["le", "chat", "dort", "&amp;"];
const axis = (names) => ({ tickvals: names.map((_, i) => i), ticktext: names });
const layout = { xaxis: axis(KEYS), yaxis: axis(QUERIES) };
const plain = (name) =>
	name.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** A map in which every cell has a number of its own; `empty` are masked. */
const mapped = (empty, masked = null) => ({
	type: "heatmap",
	hovertemplate: "query %{y}<br>key %{x}<br><b>%{z:.3g}</b> of the weight",
	z: QUERIES.map((_, r) =>
		KEYS.map((__, c) => (empty.includes(`${r} ${c}`) ? masked : 0.101 + 0.04 * r + 0.2 * c)),
	),
});

const sentence = (trace, cursor, served = layout) => {
	const { point, axes, template } = pointOf({
		traces: [trace],
		served: { layout: served },
		cursor: { trace: 0, ...cursor },
	});
	return spoken(lines(template, point, axes));
};

test("a cell is told with the name of its row, the name of its column and its number", () => {
	const trace = mapped([]);
	for (const [row, query] of QUERIES.entries())
		for (const [at, key] of KEYS.entries())
			assert.equal(
				sentence(trace, { row, at }),
				`query ${plain(query)}, key ${plain(key)}, ${trace.z[row][at].toPrecision(3)} of the weight`,
			);
});

test("a masked cell is said to be masked, and has no number", () => {
	for (const masked of [null, Number.NaN]) {
		const said = sentence(mapped(["1 2"], masked), { row: 1, at: 2 });
		assert.match(said, /masked/, `a cell with ${masked} is told as “${said}”`);
		assert.doesNotMatch(said, /\d/, `a cell with ${masked} has a number in “${said}”`);
	}
});

test("a cell of a small map is named by its map, its query and its key; a gap is not told", () => {
	const [rows, columns] = [QUERIES.length, KEYS.length];
	const tiles = [
		["head 0", 0, 0],
		["head 1", 0, columns + 1],
		["head 2", rows + 1, 0],
	];
	const meta = { tiles, size: [rows, columns], names: [QUERIES, KEYS] };
	const z = Array.from({ length: 2 * rows + 1 }, (_, r) =>
		Array.from({ length: 2 * columns + 1 }, (__, c) => (r * 10 + c + 1) / 128),
	);
	const trace = { type: "heatmap", z, meta, hovertemplate: "<b>%{z:.3g}</b> of the weight" };
	for (const [name, top, left] of tiles)
		for (const [r, query] of QUERIES.entries())
			for (const [c, key] of KEYS.entries()) {
				assert.equal(cellName(meta, top + r, left + c), `${name}: ${query} → ${key}`);
				assert.equal(
					sentence(trace, { row: top + r, at: left + c }),
					`${name}: ${plain(query)} → ${plain(key)}, ${significant(z[top + r][left + c])} of the weight`,
				);
			}
	assert.equal(cellName(meta, 0, columns), undefined);
	const told = {
		...trace,
		customdata: z.map((row) => row.map((value) => [`was ${value}`])),
		hovertemplate: "%{customdata[0]}",
	};
	const name = `head 0: ${plain(QUERIES[1])} → ${plain(KEYS[0])}`;
	assert.equal(sentence(told, { row: 1, at: 0 }), `${name}, was ${z[1][0]}`);
	assert.equal(sentence(told, { row: 0, at: columns }), "");
});

test("a point is told with its place and its number, and a bar with the name of its place", () => {
	const served = {
		xaxis: { tickvals: [1, 10], ticktext: ["1", "10"] },
		yaxis: { tickvals: [0, 1], ticktext: ["none", "all"] },
		xaxis2: axis(KEYS),
		yaxis2: { tickvals: [0, 0.5], ticktext: ["0", "half"] },
	};
	const line = { x: [1, 2, 4], y: [0.25, 0.125, 0.0625], hovertemplate: "%{x} layers, %{y:.3g}" };
	for (const [at, x] of line.x.entries())
		assert.equal(sentence(line, { at, row: 0 }, served), `${x} layers, ${significant(line.y[at])}`);
	const bar = {
		type: "bar",
		xaxis: "x2",
		yaxis: "y2",
		x: [0, 1, 2, 3],
		y: [0.5, 0.25, 0.2, 0.05],
		customdata: ["a", "b", "c", "d"],
		hovertemplate: "%{customdata}: %{x}, <b>%{y:.3g}</b>",
	};
	for (const [at, key] of KEYS.entries())
		assert.equal(
			sentence(bar, { at, row: 0 }, served),
			`${bar.customdata[at]}: ${plain(key)}, ${significant(bar.y[at])}`,
		);
});

test("an arrow key goes to the neighbour on its side, and stays at an edge", () => {
	const figure = { traces: [mapped([])], cursor: { trace: 0, row: 1, at: 1 }, walking: true };
	for (const [by, row, at] of [
		[[1, 0], 2, 1],
		[[1, 0], 2, 1],
		[[0, 1], 2, 2],
		[[-1, 0], 1, 2],
		[[0, -1], 1, 1],
	]) {
		walk(figure, by);
		assert.deepEqual([figure.cursor.row, figure.cursor.at], [row, at], `after ${by}`);
	}
});

test("numbers have three significant digits, and all those before their point", () => {
	const read = (said) => {
		const [, mantissa, power] = /^(.*?)(?: × 10(.+))?$/.exec(said.replaceAll("−", "-"));
		const raised = [...(power ?? "")].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c) - 1);
		const digits = raised.map((d) => (d < 0 ? "-" : d)).join("");
		return Number(`${mantissa}e${digits || 0}`);
	};
	for (let power = -12; power < 9; power += 1)
		for (let i = 0; i < 40; i += 1) {
			const value = (i % 2 ? -1 : 1) * (1.0037 + i * 0.22471) * 10 ** power;
			const said = significant(value);
			const whole = Math.abs(value) >= 1000 && Math.abs(value) < 1e5; // has all its digits
			const wanted = whole
				? Math.sign(value) * Math.round(Math.abs(value))
				: Number(value.toPrecision(3));
			assert.equal(read(said), wanted, `${value} is written ${said}`);
			const digits = said
				.split(" ×")[0]
				.replace(/^−?[0.]*/, "")
				.replace(".", "");
			if (Math.abs(value) < 100) assert.equal(digits.length, 3, `${value} is written ${said}`);
		}
	assert.deepEqual(
		[0, 1, -12, 4096].map((value) => significant(value)),
		["0", "1", "−12", "4096"],
	);
});
