import assert from "node:assert/strict";
import { test } from "node:test";

import { shown, textOf } from "../../static/js/controls.js";

test("a line break is shown as a sign and told as a line break, where the field's reader knows them", () => {
	const verse = /** @type {any} */ ({ dataset: { lines: "" } });
	const text = "ROMEO:\nO!\n\n";
	assert.equal(shown(verse, text), "ROMEO:⏎O!⏎⏎");
	assert.equal(textOf({ ...verse, value: shown(verse, text) }), text);
});

test("any other field is left as it is", () => {
	const plain = /** @type {any} */ ({ dataset: {}, value: "a⏎b" });
	assert.equal(textOf(plain), "a⏎b");
	assert.equal(shown(plain, "a\nb"), "a\nb");
});
