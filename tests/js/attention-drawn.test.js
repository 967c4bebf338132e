// The token lines of one head as they are drawn: beside each key stands its own number, and a line
// goes where its weight says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawable, TOKENS } from "./painted.js";

drawable();
const { arrange, drawn } = await import("../../static/js/views/attention-lines.js");
const { significant } = await import("../../static/js/draw/text.js");

const QUERIES = ["the", "cat", "sleeps"];
const KEYS = ["le", "chat", "dort", "bien"];
const PATTERN = [
	[0.7, 0.1, 0.15, 0.05],
	[0.05, 0.8, 0.05, 0.1],
	[0.02, 0.03, 0.9, 0.05],
];
const SCORES = [2, -1, Number.NaN, 0.5];
/** How much of its row lies on heavier keys. */
const before = PATTERN.map((row) =>
	row.map((weight) => row.filter((other) => other > weight).reduce((sum, one) => sum + one, 0)),
);

function picture(more) {
	const heads = [PATTERN[1], PATTERN[2]];
	const content = { queries: QUERIES, keys: KEYS, heads };
	const layout = arrange(content, 800, 400, 13, 12);
	const shown = { ...content, pattern: PATTERN, before, row: PATTERN[1], reach: 1, signed: false };
	const choice = { head: 2, query: 1, key: null, threshold: 0.9 };
	return { layout, parts: drawn({ ...shown, ...choice, ...more }, layout).children };
}

const wordsAt = (parts, y) =>
	parts
		.filter(({ tag, attributes }) => tag === "text" && Math.abs(attributes.y - y) < 1)
		.sort((a, b) => a.attributes.x - b.attributes.x)
		.map(({ textContent }) => textContent);

for (const [what, row, reach, signed] of [
	["weight", PATTERN[1], 1, false],
	["score", SCORES, 2, true],
])
	test(`beside each key stand its own ${what} and a bar as long`, () => {
		const { layout, parts } = picture({ row, reach, signed });
		const bars = parts.filter(({ attributes }) => attributes.class === "bar");
		const most = signed ? layout.barWidth / 2 : layout.barWidth;
		for (const [k, key] of KEYS.entries()) {
			const middle = layout.top + (k + 0.5) * layout.row;
			const masked = !Number.isFinite(row[k]);
			const said = masked ? "masked" : signed ? significant(row[k]) : row[k].toFixed(3);
			const words = wordsAt(parts, middle).slice(-2);
			assert.deepEqual(words, [key, said], `beside “${key}” stands ${words[1]}`);
			const bar = bars.find(
				({ attributes: { y, height } }) => Math.abs(y + height / 2 - middle) < 1,
			);
			if (masked) {
				assert.equal(bar, undefined, `“${key}” is masked and has a bar`);
				continue;
			}
			const { width, fill } = bar.attributes;
			const wanted = (Math.abs(row[k]) / reach) * most;
			assert.ok(Math.abs(width - wanted) < 1e-6, `the bar of “${key}” is ${width} long`);
			const side = TOKENS[row[k] < 0 ? "below" : "above"];
			if (signed) assert.equal(fill, side, `the bar of ${row[k]} has the colour of the other sign`);
		}
	});

test("of each query lines go to its heaviest keys, and the strongest line is the widest", () => {
	const { layout, parts } = picture({});
	const middle = (i) => layout.top + (i + 0.5) * layout.row;
	const lines = parts.filter(({ attributes: { d = "" } }) => d.includes("C"));
	for (const [q, row] of PATTERN.entries())
		for (const [k, weight] of row.entries()) {
			const d = `M${layout.from} ${middle(q)}C`;
			const end = `${layout.to} ${middle(k)}`;
			const line = lines.find(
				({ attributes }) => attributes.d.startsWith(d) && attributes.d.endsWith(end),
			);
			const wanted = before[q][k] < 0.9;
			assert.equal(
				Boolean(line),
				wanted,
				`${QUERIES[q]} gives ${KEYS[k]} ${weight}, and a line is ${line ? "" : "not "}drawn`,
			);
			if (line) assert.equal(line.attributes["stroke-width"], 0.75 + 5 * weight);
		}
});
