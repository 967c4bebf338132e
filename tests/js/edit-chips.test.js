// The chips of the edits: each takes back its own edit, and goes to the place that it is moved to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawable } from "./painted.js";
import { never } from "./server.js";

const EDITS = ["zero", "mean", "scale", "noise"].map((op) => ({ op, at: "decoder.0.attention.z" }));

/** What a click or a key is on, within its chip. */
class Inside {
	constructor(item, dataset = {}) {
		Object.assign(this, { item, dataset });
	}
	closest(selector) {
		return selector === "button" ? this : this.item;
	}
}

const items = EDITS.map((_, i) => ({ i }));
const boxes = {
	edits: { querySelector: () => ({}) },
	edited: { querySelectorAll: () => items, append() {} },
};
drawable(boxes);
globalThis.Element = Inside;
globalThis.document.querySelector = () => null;
globalThis.fetch = never;
const { edits } = await import("../../static/js/edits.js");

/** The edits that the page has after an act, as it sets them. */
function after(act) {
	const asked = [];
	const state = { edits: JSON.stringify(EDITS) };
	const page = { state, set: (changes) => asked.push(changes) };
	const visit = new AbortController();
	edits(visit.signal, page);
	act(boxes.edited);
	visit.abort();
	assert.equal(asked.length, 1);
	return JSON.parse(asked[0].edits || "[]").map(({ op }) => op);
}

const ops = EDITS.map(({ op }) => op);

test("a chip takes back its own edit, and no other", () => {
	for (const [i, item] of items.entries())
		assert.deepEqual(
			after((chips) => chips.onclick({ target: new Inside(item) })),
			ops.toSpliced(i, 1),
			`the chip of “${ops[i]}” takes back another edit`,
		);
});

test("a chip is moved by its buttons and by Alt with an arrow, one place to its side", () => {
	for (const [from, by] of [
		[0, 1],
		[1, 1],
		[2, -1],
		[3, -1],
	]) {
		const wanted = ops.toSpliced(from, 1).toSpliced(from + by, 0, ops[from]);
		const button = new Inside(items[from], { move: String(by) });
		const key = by > 0 ? "ArrowRight" : "ArrowLeft";
		const pressed = { altKey: true, key, target: button, preventDefault() {} };
		for (const act of [
			(chips) => chips.onclick({ target: button }),
			(chips) => chips.onkeydown(pressed),
		])
			assert.deepEqual(after(act), wanted, `“${ops[from]}” is moved by ${by}`);
	}
});
