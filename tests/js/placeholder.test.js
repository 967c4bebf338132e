// The first picture of a figure, which is painted before Plotly comes: every cell, bar and name of it
// stands where its number says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawable, measure } from "./painted.js";

const Fake = drawable();
const { arrange } = await import("../../static/js/figures/arrange.js");
const { paint, placed } = await import("../../static/js/figures/placeholder.js");
const { palette, rgb } = await import("../../static/js/draw/palette.js");

const SIZE = { width: 500, height: 400 };
const Z = [
	[0, 0.1, 0.2, 0.3],
	[0.4, 0.5, null, 0.6],
	[0.7, 0.8, 0.9, 1],
];

const axis = (title, names, down = false) => {
	const range = [-0.5, names.length - 0.5];
	return {
		title: { text: title },
		range: down ? range.reverse() : range,
		tickvals: names.map((_, i) => i),
		ticktext: names,
		type: "linear",
	};
};
const numbers = (title, range, tickvals, more = {}) => ({
	title: { text: title },
	range,
	tickvals,
	ticktext: tickvals.map(String),
	type: "linear",
	...more,
});
const heatMap = (z, more = {}) => ({
	type: "heatmap",
	z,
	zmin: 0,
	zmax: 1,
	meta: { scale: "cividis" },
	colorbar: { title: { text: "weight" } },
	...more,
});

/** The picture of a figure, and from what axes say to pixels. */
function painted(data, x, y, more = {}) {
	const figure = { data, layout: { xaxis: x, yaxis: y, meta: {}, ...more } };
	const arranged = arrange(figure, { size: SIZE, colours: palette(), measure });
	const canvas = new Fake("canvas");
	paint(canvas, arranged, palette());
	const [{ box }] = arranged.panels;
	return {
		ink: canvas.getContext(),
		arranged,
		box,
		toX: placed(arranged.layout.xaxis, box.x, box.x + box.width),
		toY: placed(arranged.layout.yaxis, box.y + box.height, box.y),
	};
}

/** The colour of a share of a scale: what the tokens say. */
function ofScale(name, share) {
	const stops = palette()[name].map(rgb);
	const low = Math.min(Math.floor(share * (stops.length - 1)), stops.length - 2);
	const part = share * (stops.length - 1) - low;
	return stops[low].map((from, i) => from + part * (stops[low + 1][i] - from));
}

const near = (found, wanted, what) =>
	assert.ok(
		found && wanted.every((part, i) => Math.abs(part - found[i]) <= 2),
		`${what} is painted in ${found}, and its number has the colour ${wanted.map(Math.round)}`,
	);

for (const down of [true, false])
	for (const scale of ["cividis", "signed"])
		test(`every cell of a still map has the colour of its number: ${scale}, the first row ${down ? "on top" : "at the bottom"}`, () => {
			const columns = axis("key", ["a", "b", "c", "d"]);
			const { ink, toX, toY } = painted(
				[heatMap(Z, { meta: { scale } })],
				columns,
				axis("query", ["i", "ii", "iii"], down),
			);
			for (const [r, row] of Z.entries())
				for (const [c, z] of row.entries()) {
					const found = ink.colour(toX(c), toY(r));
					const what = `the cell in row ${r}, column ${c}, with ${z},`;
					if (z === null) assert.equal(found, null, `${what} is masked, and has a colour`);
					else near(found, ofScale(scale, z), what);
				}
		});

test("the numbers in the cells of a still map are those of the cells", () => {
	const text = Z.map((row) => row.map((z) => (z === null ? "" : z.toFixed(1))));
	const { ink, toX, toY } = painted(
		[heatMap(Z, { text })],
		axis("key", ["a", "b", "c", "d"]),
		axis("query", ["i", "ii", "iii"], true),
	);
	for (const [r, row] of text.entries())
		for (const [c, words] of row.entries()) {
			const near = ({ x, y }) => Math.abs(x - toX(c)) < 1 && Math.abs(y - toY(r)) < 1;
			const said = ink.said.filter(near).map(({ text }) => text);
			assert.deepEqual(said, words ? [words] : [], `in row ${r}, column ${c} stands ${said}`);
		}
});

test("a colour bar has its least number at the bottom, in the colours of the cells", () => {
	for (const [zmin, zmax] of [
		[0, 1],
		[-4, 4],
	]) {
		const { ink, box } = painted(
			[heatMap(Z, { zmin, zmax })],
			axis("key", ["a", "b", "c", "d"]),
			axis("query", ["i", "ii", "iii"], true),
		);
		const beside = ink.said.filter(({ x }) => x > box.x + box.width);
		const names = beside.filter(({ text }) => !Number.isNaN(Number(text.replace("−", "-"))));
		for (const { text, y } of names) {
			const share = 1 - (y - box.y) / box.height;
			const number = Number(text.replace("−", "-"));
			const here = zmin + share * (zmax - zmin);
			assert.ok(
				Math.abs(number - here) < 0.01 * (zmax - zmin),
				`beside ${here.toFixed(2)} of the colour bar stands ${text}`,
			);
		}
		assert.equal(names.length, 3, `a colour bar has the names ${names.map(({ text }) => text)}`);
		const [shade] = ink.shades;
		assert.ok(shade.from > shade.to, "the colour bar begins on top");
		assert.deepEqual(
			shade.stops.map(([, colour]) => colour),
			palette().cividis,
		);
	}
});

test("a still bar is as long as its number and stands at its place, upright and level", () => {
	const [places, values] = [
		[0, 1, 2],
		[3, -2, 1],
	];
	const [names, scale] = [axis("name", ["a", "b", "c"]), numbers("value", [-4, 4], [-4, 0, 4])];
	const shape = { type: "bar", marker: {}, meta: { role: "query" }, width: 0.5 };
	for (const level of [false, true]) {
		const [x, y] = level ? [values, places] : [places, values];
		const { ink, toX, toY } = painted(
			[{ ...shape, x, y, ...(level && { orientation: "h" }) }],
			level ? scale : names,
			level ? names : scale,
		);
		for (const [i, value] of values.entries()) {
			const at = (/** @type {number} */ v) =>
				level ? ink.colour(toX(v), toY(i)) : ink.colour(toX(i), toY(v));
			const what = `${level ? "level" : "upright"} bar ${i} of ${value}`;
			assert.deepEqual(at(0.9 * value), rgb(palette().query), `the ${what} has no ink inside`);
			assert.equal(at(1.1 * value), null, `the ${what} goes on beyond its number`);
			assert.equal(at(-0.1 * value), null, `the ${what} goes on beyond 0`);
		}
	}
});

test("every tick of a still picture has the name that was served for its place", () => {
	const served = Array.from({ length: 23 }, (_, i) => `n${i}`);
	for (const [width, chosen] of [
		[500, {}],
		[120, {}],
		[120, { xaxis: 7 }],
		[500, { xaxis: 22, yaxis: 3 }],
	]) {
		const figure = {
			data: [],
			layout: {
				xaxis: axis("key", served),
				yaxis: axis("query", served, true),
				meta: { chosen },
			},
		};
		const { layout } = arrange(figure, {
			size: { width, height: 300 },
			colours: palette(),
			measure,
		});
		for (const key of ["xaxis", "yaxis"])
			for (const [i, place] of layout[key].tickvals.entries())
				assert.equal(
					layout[key].ticktext[i]?.replace(/<\/?b>/g, ""),
					served[place],
					`at place ${place} of ${key}, ${width} pixels wide, stands ${layout[key].ticktext[i]}`,
				);
	}
});

test("both axes have their own titles, each once, with names above and below", () => {
	for (const side of ["top", "bottom"]) {
		const x = { ...axis("key", ["a", "b"]), side };
		const { arranged, box } = painted([heatMap(Z)], x, axis("query", ["i", "ii", "iii"], true));
		const titles = arranged.layout.annotations.map(({ text, x, y, xanchor }) => ({
			text,
			x: x * SIZE.width,
			y: (1 - y) * SIZE.height,
			xanchor,
		}));
		const of = (title) => titles.filter(({ text }) => text === title);
		for (const title of ["key", "query", "weight"])
			assert.equal(of(title).length, 1, `${of(title).length} titles say ${title}, names ${side}`);
		const [[level], [upright]] = [of("key"), of("query")];
		assert.ok(
			upright.x < box.x,
			`the title of the rows stands at ${upright.x}, the rows at ${box.x}`,
		);
		assert.ok(
			side === "top" ? level.x > upright.x : level.y > box.y + box.height,
			`the title of the columns stands at ${level.x}, ${level.y}, names ${side}`,
		);
	}
});

test("a scale of the theme keeps its direction, named or from role to role", () => {
	const colours = palette();
	const of = (scale) =>
		arrange(
			{
				data: [heatMap(Z, { meta: { scale } })],
				layout: {
					xaxis: axis("", ["a", "b", "c", "d"]),
					yaxis: axis("", ["i", "ii", "iii"]),
					meta: {},
				},
			},
			{ size: SIZE, colours, measure },
		).data[0].colorscale;
	for (const [scale, stops] of [
		["cividis", colours.cividis],
		["signed", colours.signed],
		[
			["paper", "query"],
			[colours.paper, colours.query],
		],
	])
		assert.deepEqual(
			of(scale),
			stops.map((stop, i) => [i / (stops.length - 1), stop]),
			`the scale ${scale} has other colours, or in another order`,
		);
});
