// Scenes in words, as model/inputs/scenes.py reads them, and what moving a shape changes.

export const MOST = 8;

/** @param {string} words a scene that the API has read @returns {Scene} */
export const readScene = (words) =>
	words
		.split(";")
		.filter((part) => part.trim())
		.map((part) => {
			const [kind, colour, ...numbers] = part.trim().split(/\s+/);
			const [x, y, width, height] = numbers.map(Number);
			return { kind, colour, x, y, width, height };
		});

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
const inside = (centre, size) =>
	Math.min(1 - size / 2, Math.max(size / 2, Math.round(centre * 100) / 100));

/**
 * The same scene with one more shape, where its middle is farthest from the others'.
 * @param {Scene} shapes @param {string} colour @param {string} kind
 */
export function withOne(shapes, colour, kind) {
	const steps = [0.2, 0.4, 0.6, 0.8];
	const places = steps.flatMap((y) => steps.map((x) => ({ x, y })));
	const room = (/** @type {{x: number, y: number}} */ { x, y }) =>
		Math.min(...shapes.map((shape) => Math.hypot(shape.x - x, shape.y - y)));
	const best = places.reduce((one, other) => (room(other) > room(one) ? other : one));
	return [...shapes, { kind, colour, ...best, width: 0.28, height: 0.28 }];
}
