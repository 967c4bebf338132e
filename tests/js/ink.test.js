// An image is read from an address and written into one; a pen leaves ink where it went, and paper where it wipes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blank, inked, rowsOf, signs, withPixel } from "../../static/js/draw/ink.js";

test("an address is read as rows: numbers with commas, or a sign for each pixel", () => {
	assert.deepEqual(rowsOf("0,0.5,1,0.25"), [
		[0, 0.5],
		[1, 0.25],
	]);
	assert.deepEqual(rowsOf("08g4"), [
		[0, 0.5],
		[1, 0.25],
	]);
});

test("what is no image is null", () => {
	for (const written of [
		"",
		"0,1",
		"0,0,0,2",
		"0,0,0,nan",
		"0,0,0,",
		"three",
		"-1,0,0,0",
		"00h0",
		"000",
	])
		assert.equal(rowsOf(written), null, written);
});

test("what is written in sixteenths is read as it was", () => {
	const values = Array.from({ length: 8 }, (_, r) =>
		Array.from({ length: 8 }, (__, c) => ((r * 8 + c) % 17) / 16),
	);
	assert.equal(signs(values).length, 64);
	assert.deepEqual(rowsOf(signs(values)), values);
});

test("one pixel is changed and the image before stays as it was", () => {
	const before = [
		[0, 0],
		[0, 0],
	];
	assert.deepEqual(withPixel(before, { row: 1, column: 0 }, 0.5), [
		[0, 0],
		[0.5, 0],
	]);
	assert.deepEqual(before, [
		[0, 0],
		[0, 0],
	]);
});

test("a dot in the middle of a pixel inks it wholly and its neighbours a little", () => {
	const dot = inked(blank(3), { x: 1.5, y: 1.5 }, { x: 1.5, y: 1.5 }, 1);
	assert.equal(dot[1][1], 1);
	assert.ok(dot[0][1] > 0 && dot[0][1] < 0.25);
	assert.deepEqual([dot[0][1], dot[1][0], dot[1][2]], [dot[2][1], dot[2][1], dot[2][1]]);
	assert.equal(dot[0][0], 0);
});

test("a stroke inks all it passes, the same in whichever direction", () => {
	const [from, to] = [
		{ x: 0.5, y: 2.5 },
		{ x: 7.5, y: 2.5 },
	];
	const stroke = inked(blank(8), from, to, 0.5);
	assert.deepEqual(stroke[2], new Array(8).fill(0.5));
	assert.deepEqual(inked(blank(8), to, from, 0.5), stroke);
});

test("ink never makes lighter, paper never darker", () => {
	const full = [
		[1, 1],
		[1, 1],
	];
	const [middle, corner] = [
		{ x: 1, y: 1 },
		{ x: 0.5, y: 0.5 },
	];
	assert.deepEqual(inked(full, middle, middle, 0.25), full);
	assert.deepEqual(inked(blank(2), middle, middle, 0), blank(2));
	assert.equal(inked(full, corner, corner, 0)[0][0], 0);
	assert.ok(inked(full, corner, corner, 0)[1][1] > 0.5);
});
