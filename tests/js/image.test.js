// An image in its patches: every patch is found where it was drawn, shows its own pixels and wears the colour of its weight.
import assert from "node:assert/strict";
import { test } from "node:test";
import { css, probability } from "../../static/js/draw/colours.js";
import { cellOf, patched, sayLook, tokenOf } from "../../static/js/draw/image.js";
import { holds, inOrder } from "./said.js";

const fonts = { sans: "sans", serif: "serif", mono: "mono" };
const colours = {
	tick: 13,
	small: 13,
	text: 16,
	ink: "#000000",
	inkSoft: "#333333",
	rule: "#cccccc",
	ruleStrong: "#888888",
	sunken: "#eeeeee",
	paper: "#ffffff",
	focus: "#0000ff",
	cividis: ["#00224e", "#fee838"],
	heads: [],
	signed: [],
	fonts,
};
const scale = probability(colours, "weight");
const values = Array.from({ length: 6 }, (_, row) =>
	Array.from({ length: 6 }, (_, column) => (row * 6 + column) / 35),
);
const weights = Array.from({ length: 10 }, (_, i) => i / 45);
const draw = (more = {}) =>
	patched({
		values,
		grid: [3, 3],
		weights,
		scale,
		colours,
		label: "a digit",
		width: 640,
		height: 480,
		...more,
	});
const blocks = (drawn) => drawn.scene.shapes.filter(({ shape }) => shape === "cells");
const inks = (block) =>
	Array.from({ length: block.rows * block.columns }, (_, i) => 255 - block.pixels[4 * i]);

test("every token is found where it was drawn, [CLS] and all patches", () => {
	const { box, at } = draw();
	for (let token = 0; token < 10; token += 1) {
		const { x, y, width, height } = box(...cellOf(token, 3));
		assert.equal(tokenOf(at(x + width / 2, y + height / 2), 3), token);
	}
	assert.equal(at(639, 479), null);
});

test("all of it lies inside the frame, wide or narrow", () => {
	for (const [width, height] of [
		[640, 480],
		[320, 480],
		[1200, 300],
	]) {
		const { box } = draw({ width, height });
		const last = box(2, 3);
		assert.ok(
			last.x + last.width <= width && last.y + last.height <= height,
			`${width} x ${height}`,
		);
		assert.ok(
			box(0, 0).x >= 0 && box(0, 0).x + box(0, 0).width < box(0, 1).x,
			"[CLS] stands beside the image",
		);
	}
});

test("a patch shows its own pixels, ink dark and paper light", () => {
	const shown = blocks(draw({ weights: null })).map(inks);
	assert.equal(shown.length, 9);
	const grey = (row, column) => Math.round(255 * values[row][column]);
	[
		[2, 2],
		[2, 3],
		[3, 2],
		[3, 3],
	].forEach(([row, column], i) =>
		assert.ok(Math.abs(shown[4][i] - grey(row, column)) <= 1, `row ${row}, column ${column}`),
	);
});

test("the frame of a token has the colour of its weight, and none without weights", () => {
	const frames = draw().scene.shapes.filter(
		({ shape, fill }) => shape === "rect" && fill?.startsWith("rgb"),
	);
	weights.forEach((weight, i) => assert.equal(frames[i].fill, css(scale, weight)));
	assert.ok(
		draw({ weights: null })
			.scene.shapes.filter(({ shape }) => shape === "rect")
			.every(({ fill }) => fill === "#eeeeee"),
	);
});

test("the token that looks is marked, once", () => {
	const marks = (selected) =>
		draw({ selected }).scene.shapes.filter(({ stroke }) => stroke === "#0000ff");
	assert.equal(marks(null).length, 0);
	for (const token of [0, 5]) {
		const { x, y } = draw().box(...cellOf(token, 3));
		assert.deepEqual(
			marks(token).map((mark) => [mark.x, mark.y]),
			[[x + 1, y + 1]],
		);
	}
});

test("a look is said with both tokens and the weight", () => {
	const said = sayLook(["[CLS]", "1,1"], 0, 1, 0.25);
	inOrder(said, "[CLS]", "1,1");
	holds(said, ".25");
});
