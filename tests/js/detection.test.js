// A scene in words can be moved about.
import assert from "node:assert/strict";
import { test } from "node:test";
import { moved, shapeAt, writeScene } from "../../static/js/scenes.js";

const RED = { kind: "ellipse", colour: "red", x: 0.3, y: 0.4, width: 0.2, height: 0.3 };
const BLUE = { kind: "triangle", colour: "blue", x: 0.7, y: 0.6, width: 0.3, height: 0.25 };
const shapes = [RED, BLUE];

test("a scene is written in words, to thousandths of the picture's side", () => {
	const scene = "ellipse red 0.3 0.4 0.2 0.3; triangle blue 0.7 0.6 0.3 0.25";
	assert.equal(writeScene(shapes), scene);
	assert.equal(writeScene([{ ...RED, x: 0.3000001 }, BLUE]), scene);
});

test("a shape moves to where it is brought, and no farther than the picture goes", () => {
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
	const three = [...shapes, { ...RED, kind: "rectangle", width: 0.1, height: 0.1 }];
	assert.deepEqual(
		[shapeAt(three, 0.3, 0.4), shapeAt(three, 0.22, 0.4), shapeAt(three, 0.95, 0.05)],
		[2, 0, -1],
	);
});
