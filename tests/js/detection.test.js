// A scene in words can be moved about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, readScene, shapeAt, withOne, writeScene } from "../../static/js/scenes.js";

const SCENE = "ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25";

test("a scene is written as it was read", () => {
	assert.equal(writeScene(readScene(SCENE)), SCENE);
	assert.deepEqual(readScene(SCENE)[1], {
		kind: "triangle",
		colour: "blue",
		x: 0.7,
		y: 0.6,
		width: 0.3,
		height: 0.25,
	});
});

test("a shape moves to where it is brought, and no farther than the picture goes", () => {
	const shapes = readScene(SCENE);
	assert.equal(
		writeScene(moved(shapes, 0, 0.517, 0.5)),
		"ellipse red 0.52 0.5 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25",
	);
	assert.equal(
		writeScene(moved(shapes, 1, 2, -1)),
		"ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.85 0.125 0.3 0.25",
	);
});

test("what lies on top is held, and paper is not", () => {
	const shapes = readScene(`${SCENE}; rectangle green 0.3 0.4 0.1 0.1`);
	assert.deepEqual(
		[shapeAt(shapes, 0.3, 0.4), shapeAt(shapes, 0.22, 0.4), shapeAt(shapes, 0.95, 0.05)],
		[2, 0, -1],
	);
});

test("one more shape stands where there is most room", () => {
	const shapes = withOne(readScene("ellipse red 0.2 0.2 0.3 0.3"), "green", "triangle");
	assert.equal(writeScene(shapes), "ellipse red 0.2 0.2 0.3 0.3; triangle green 0.8 0.8 0.28 0.28");
});
