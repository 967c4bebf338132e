// Warm-up: the steps of a training that goes on are added behind those that came drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { grown } from "../../static/js/views/warmup-live.js";

const trace = (name, of, arm, seed, y) => ({
	name,
	x: y.map((_, i) => i + 1),
	y,
	meta: { role: "ink", of, arm, ...(seed !== undefined && { seed }) },
});
const note = (text, x, y) => ({ text, x, y, name: "end ink" });
const guessing = { name: "guessing", x: [1, 2, 3], y: [2, 2, 2], meta: { role: "ink-soft" } };
const figure = (...data) => ({
	data: [...data, guessing],
	layout: {
		annotations: [note("Post-LN", 2, 2.5), note("guessing", 3, 2)],
		yaxis: { range: [0, 3] },
		meta: { call: "/api/v1/warmup?warmup_steps=2&steps=2&seeds=2", shape: [1, 2] },
	},
});
const step = (n, loss) => ({ step: n, rate: [0.01 * n], loss: [loss], mean: [2.5] });
const steps = [step(1, [2, 3]), step(2, [2, 3]), step(3, [1, 4])];

test("a seed goes on with its losses, and the line over the seeds with their mean", () => {
	const served = figure(
		trace("Post-LN, seed 1", "loss", 0, 1, [3, 3]),
		trace("Post-LN", "loss", 0, undefined, [2.5, 2.5]),
	);
	const { data, layout } = grown(served, steps);
	assert.deepEqual(
		data.map(({ y }) => y),
		[[3, 3, 4], [2.5, 2.5, 2.5], guessing.y],
	);
	assert.deepEqual(data[0].x, [1, 2, 3]);
	assert.deepEqual(layout.yaxis.range, [0, 4], "what is higher than the axis is seen");
	assert.deepEqual(served.data[0].y, [3, 3], "what came is left as it is");
});

test("a rate goes on as the stream tells it", () => {
	assert.deepEqual(
		grown(figure(trace("Post-LN", "rate", 0, undefined, [0.01, 0.02])), steps).data[0].y,
		[0.01, 0.02, 0.03],
	);
});

test("the name of a line moves with its end, and the figure says how many steps it shows", () => {
	const { layout } = grown(figure(trace("Post-LN", "loss", 0, undefined, [2.5, 2.5])), steps);
	assert.deepEqual(
		layout.annotations.map(({ x }) => x),
		[3, 3],
	);
	assert.equal(layout.annotations[0].y, 2.5);
	assert.deepEqual(layout.annotations[1], note("guessing", 3, 2));
	assert.deepEqual(
		[layout.meta.call, layout.meta.shape],
		["/api/v1/warmup?warmup_steps=2&steps=3&seeds=2", [1, 3]],
	);
});
