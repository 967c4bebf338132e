// Edits as a list: moved, and a cell that is set twice.
import assert from "node:assert/strict";
import { test } from "node:test";
import { listed, moved, orderOf, withCell } from "../../static/js/edit-list.js";

test("what is no list of edits is one that can only be taken back", () => {
	assert.deepEqual(listed('[{"op":"zero"}]'), [{ op: "zero" }]);
	assert.deepEqual(listed("[{"), [null]);
	assert.deepEqual(listed(""), []);
	assert.deepEqual(listed(undefined), []);
});

test("an edit goes to another place, and the others keep their order", () => {
	assert.deepEqual(moved(["a", "b", "c"], 0, 2), ["b", "c", "a"]);
	assert.deepEqual(moved(["a", "b", "c"], 2, 0), ["c", "a", "b"]);
	assert.deepEqual(moved(["a", "b", "c"], 1, 1), ["a", "b", "c"]);
});

test("a cell that is set again has its last number alone", () => {
	const cell = { op: "set", at: "x.pattern", where: { head: [0], query: [1], key: [2] } };
	const other = { ...cell, where: { head: [0], query: [1], key: [3] } };
	const first = withCell(JSON.stringify([other]), { ...cell, value: 0.5 });
	assert.deepEqual(JSON.parse(withCell(first, { ...cell, value: 0.9 })), [
		other,
		{ ...cell, value: 0.9 },
	]);
});

test("tokens that stand as they are given are no order", () => {
	assert.equal(orderOf(["0", "2", "1"]), "0,2,1");
	assert.equal(orderOf(moved(["0", "2", "1"], 2, 1)), "");
	assert.equal(orderOf([]), "");
});
