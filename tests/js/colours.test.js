// Colours mean numbers: the same number has the same colour wherever it stands.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { rgb } from "../../static/js/draw/palette.js";

const tokens = readFileSync(new URL("../../static/css/tokens.css", import.meta.url), "utf8");
const list = (name, block = ":root {") =>
	new RegExp(`--${name}: ([^;]+);`)
		.exec(tokens.slice(tokens.indexOf(block)))[1]
		.split(",")
		.map((c) => c.trim());
const luminance = ([r, g, b]) =>
	[r, g, b]
		.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) =>
	(Math.max(luminance(a), luminance(b)) + 0.05) / (Math.min(luminance(a), luminance(b)) + 0.05);

/** A colour between the stops of the scale of probabilities. */
const cividis = (at) => {
	const stops = list("cividis").map(rgb);
	const low = Math.min(Math.floor(at * (stops.length - 1)), stops.length - 2);
	const part = at * (stops.length - 1) - low;
	return stops[low].map((from, c) => from + part * (stops[low + 1][c] - from));
};
const SHADES = Array.from({ length: 256 }, (_, i) => i / 255);

test("probabilities grow brighter at every step, so that order survives grey print and colour blindness", () => {
	const levels = SHADES.map((at) => luminance(cividis(at)));
	levels.slice(1).forEach((level, i) => assert.ok(level >= levels[i] - 1e-4, `step ${i}`));
});

test("white is read on the dark half of the probabilities, black from where it is readable", () => {
	for (const at of SHADES) {
		const ink = at < Number(list("readable")[0]) ? [255, 255, 255] : [0, 0, 0];
		assert.ok(contrast(cividis(at), ink) >= 4.5, String(at));
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

test("in every theme numbers below zero are blue, those above orange, and zero is paper", () => {
	const warm = (hex) => rgb(hex)[0] - rgb(hex)[2]; // more red than blue
	for (const block of [":root {", ':root[data-theme="dark"]']) {
		const [stops, paper] = [list("signed", block), rgb(list("paper", block)[0])];
		const half = (stops.length - 1) / 2;
		stops.forEach((stop, i) => {
			const away = rgb(stop).map((c, k) => Math.abs(c - paper[k]));
			const right = i < half ? warm(stop) < 0 : i > half ? warm(stop) > 0 : Math.max(...away) < 16;
			assert.ok(right, `stop ${i} of ${stops.length} of the signed scale is ${stop} in ${block}`);
		});
		const [below, above] = ["below", "above"].map((name) => warm(list(name, block)[0]));
		assert.ok(below < 0 && above > 0, `the colours of signs are exchanged in ${block}`);
	}
	for (const name of ["signed", "below", "above"])
		assert.doesNotMatch(
			tokens.slice(tokens.indexOf(':root[data-theme="projector"]')).split("}")[0],
			new RegExp(`--${name}:`),
			`the projector has a ${name} of its own, which this test does not look at`,
		);
});
