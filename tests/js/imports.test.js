import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../static/js", import.meta.url));
/** Modules that come at once or later; a type in a comment brings nothing. */
const IMPORTED = /^(?:import|export|\}).*?"(\.[^"]+\.js)"|\bimport\("(\.[^"]+\.js)"\)/gm;
const COMMENT = /\/\*[^]*?\*\//g;

const modules = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((name) =>
	name.endsWith(".js"),
);
const imports = new Map(
	modules.map((name) => {
		const found = readFileSync(join(ROOT, name), "utf8").replace(COMMENT, "").matchAll(IMPORTED);
		return [name, [...found].map(([, now, later]) => normalize(join(dirname(name), now ?? later)))];
	}),
);

/** @param {string[]} path the modules so far, each imported by the one before @returns {string[]} */
function circle(path, done = new Set()) {
	for (const next of imports.get(path[path.length - 1]) ?? []) {
		if (path.includes(next)) return [...path.slice(path.indexOf(next)), next];
		const found = done.has(next) ? [] : circle([...path, next], done);
		if (found.length) return found;
		done.add(next);
	}
	return [];
}

test("modules do not import each other in a circle", () => {
	assert.ok([...imports.values()].flat().every((name) => imports.has(name)));
	for (const name of modules) assert.deepEqual(circle([name]), []);
});
