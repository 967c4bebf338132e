// Colours mean numbers: the same number has the same colour wherever it stands.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
	colourOf,
	inkOn,
	largest,
	pixels,
	probability,
	ramp,
	signed,
} from "../../static/js/draw/colours.js";
import { rgb } from "../../static/js/draw/palette.js";

const tokens = readFileSync(new URL("../../static/css/tokens.css", import.meta.url), "utf8");
const list = (name, block = ":root {") =>
	new RegExp(`--${name}: ([^;]+);`)
		.exec(tokens.slice(tokens.indexOf(block)))[1]
		.split(",")
		.map((c) => c.trim());
const colours = { cividis: list("cividis"), signed: list("signed") };
const luminance = ([r, g, b]) =>
	[r, g, b]
		.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) =>
	(Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

test("a probability keeps its colour whatever else is in the picture", () => {
	const scale = probability(colours);
	assert.deepEqual([scale.low, scale.high], [0, 1]);
	assert.deepEqual(colourOf(scale, 0), rgb(colours.cividis[0]));
	assert.deepEqual(colourOf(scale, 1), rgb(colours.cividis.at(-1)));
});

test("the sequential ramp grows brighter at every step, so that order survives grey print and colour blindness", () => {
	const bytes = ramp(colours.cividis);
	const levels = Array.from({ length: 256 }, (_, i) => luminance(bytes.slice(3 * i, 3 * i + 3)));
	levels.slice(1).forEach((level, i) => assert.ok(level >= levels[i] - 1e-4, `step ${i}`));
});

test("zero is the middle of a signed scale, and opposite numbers are opposite colours", () => {
	const scale = signed(colours, 2);
	const [r, g, b] = colourOf(scale, 0);
	assert.ok(Math.max(r, g, b) - Math.min(r, g, b) < 12, "zero has no hue");
	assert.ok(
		colourOf(scale, 2)[0] > colourOf(scale, 2)[2] &&
			colourOf(scale, -2)[2] > colourOf(scale, -2)[0],
	);
	assert.deepEqual(
		colourOf(scale, 5),
		colourOf(scale, 2),
		"beyond the limit is the limit's colour",
	);
});

test("a masked cell is transparent and never looks like a zero", () => {
	const bytes = pixels([[0, null]], probability(colours));
	assert.equal(bytes[3], 255);
	assert.equal(bytes[7], 0);
});

test("what is printed in a cell can be read on every colour of both scales", () => {
	for (const stops of [colours.cividis, colours.signed]) {
		const bytes = ramp(stops);
		for (let i = 0; i < 256; i += 1) {
			const ground = /** @type {any} */ ([...bytes.slice(3 * i, 3 * i + 3)]);
			assert.ok(contrast(ground, rgb(inkOn(ground))) >= 4.5, `step ${i}`);
		}
	}
});

test("words in a quantity's colour have the contrast that WCAG AA asks for, in every theme", () => {
	for (const block of [":root {", ':root[data-theme="dark"]', ':root[data-theme="projector"]']) {
		const paper = rgb(list("paper", block)[0]);
		for (const name of [
			"ink",
			"ink-soft",
			"error",
			"query",
			"key",
			"value",
			"stream",
			"embedding",
			"position",
			"attention",
			"cross",
			"feed-forward",
			"bias",
		]) {
			assert.ok(contrast(rgb(list(name, block)[0]), paper) >= 4.5, `${name} in ${block}`);
		}
	}
});

test("the largest size in nested lists ignores what is masked", () =>
	assert.equal(
		largest([
			[1, null],
			[-3, [2]],
		]),
		3,
	));
