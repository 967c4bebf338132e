// The address is the only state, and the same question has the same address.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
	apiAddress,
	changed,
	extra,
	query,
	state,
	taken,
	travelling,
} from "../../static/js/address.js";
import { intent } from "../../static/js/keys.js";

test("what is written in an address can be read from it, hostile text too", () => {
	const before = { model: "translator", source: "i & am = </s> + ü \u202e?#", layer: "2" };
	assert.deepEqual(state(query(before)), before);
});

test("what is empty is not asked", () =>
	assert.equal(
		apiAddress("attention", { model: "m", target: "", layer: null, head: 0 }),
		"/api/v1/attention?model=m&head=0",
	));

test("an emptied field is asked as it is: left out, it would be the example", () => {
	const emptied = { model: "m", source: "", target: "" };
	assert.equal(apiAddress("attention", emptied), "/api/v1/attention?model=m&source=");
	assert.equal(apiAddress("scaling", { d_head: 4 }), "/api/v1/scaling?d_head=4");
});

test("the input travels to other rooms, a page's own state stays", () => {
	assert.deepEqual(travelling({ model: "m", source: "a b", target: "", layer: "2" }), {
		model: "m",
		source: "a b",
	});
});

test("edits travel as the input does, and only words that know them are asked with them", () => {
	const run = { model: "m", edits: "[]", shows: "difference" };
	assert.deepEqual(travelling(run), { model: "m", edits: "[]" });
	const known = ["attention"];
	assert.deepEqual(taken("attention/figures", run, known), run);
	assert.deepEqual(taken("attention/figures/map", run, known), run);
	assert.deepEqual(taken("attention", run, known), { model: "m", edits: "[]" });
	assert.deepEqual(taken("norms/figures", run, known), { model: "m" });
	assert.deepEqual(taken("attention/figures", { ...run, edits: "" }, known), { model: "m" });
	const opening = { ...run, shows: "edited" };
	assert.deepEqual(taken("attention/figures", opening, known), { model: "m", edits: "[]" });
});

test("a page at its opening has a short address", () =>
	assert.deepEqual(changed({ a: "1", b: "2", c: "" }, { a: "1", b: "3" }), { b: "2" }));

test("what no control says is asked too, but for switches, frames and what is empty", () =>
	assert.deepEqual(
		extra(
			{ d_head: "4", keys: "16", "patterns.values": "log", embed: "1", theme: "dark", top_k: "" },
			{ d_head: "64", temperature: "1" },
		),
		{ keys: "16" },
	));

test("a clicker's keys step like the arrows, and digits are examples", () => {
	assert.deepEqual(
		[intent("PageDown"), intent("ArrowRight"), intent("PageUp")],
		[
			["step", 1],
			["step", 1],
			["step", -1],
		],
	);
	assert.deepEqual(
		[intent("3"), intent("0"), intent("F"), intent("x")],
		[["example", 3], null, ["presenter", 1], null],
	);
});

test("how an input is read travels and is asked as edits are, and is no field of the page", () => {
	const run = { model: "m", order: "0,2,1", pad: "left:2", padding_mask: "off", shows: "run" };
	const { shows, ...arranged } = run;
	assert.deepEqual(travelling(run), arranged);
	assert.deepEqual(taken("attention/figures", run, ["attention"]), run);
	assert.deepEqual(taken("attention", run, ["attention"]), arranged);
	assert.deepEqual(taken("norms/figures", run, ["attention"]), { model: "m" });
	assert.deepEqual(extra({ positions: "off", keys: "16" }, {}), { keys: "16" });
	const hall = { model: "m", present: "1" };
	assert.deepEqual(travelling({ ...hall, one: "map" }), hall);
	assert.deepEqual(extra({ present: "1", one: "map" }, {}), {});
});
