// Scenes in words, as model/inputs/scenes.py reads them, and what moving a shape changes.

import { within } from "./common.js";

export const MOST = 8;

/** @param {Scene} shapes */
export const writeScene = (shapes) =>
	shapes
		.map(({ kind, colour, x, y, width, height }) =>
			[kind, colour, ...[x, y, width, height].map(short)].join(" "),
		)
		.join("; ");

/** Thousandths of the picture's side are said. @param {number} value */
const short = (value) => String(Number(value.toFixed(3)));

/**
 * The shape on top at a point: its place in the scene, -1 for paper.
 * @param {Scene} shapes @param {number} x @param {number} y
 */
export const shapeAt = (shapes, x, y) =>
	shapes.findLastIndex(
		(shape) =>
			Math.abs(x - shape.x) <= shape.width / 2 && Math.abs(y - shape.y) <= shape.height / 2,
	);

/**
 * The same scene with one shape elsewhere, as far as the picture goes.
 * @param {Scene} shapes @param {number} index @param {number} x @param {number} y
 */
export const moved = (shapes, index, x, y) =>
	shapes.map((shape, i) =>
		i === index ? { ...shape, x: inside(x, shape.width), y: inside(y, shape.height) } : shape,
	);

/** In whole hundredths where they fit. @param {number} centre @param {number} size */
const inside = (centre, size) => within(size / 2, 1 - size / 2, Math.round(centre * 100) / 100);
