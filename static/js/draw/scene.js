// A picture as data: a list of shapes in CSS pixels, which canvas.js paints and svg.js writes. Views make scenes and stay pure.

/** @typedef {{shape: string} & Record<string, any>} Shape */
/** @typedef {{width: number, height: number, label: string, shapes: Shape[]}} Scene */

/** @param {number} width @param {number} height @param {string} label what the picture shows, for those who do not see it @param {Shape[]} shapes @returns {Scene} */
export const scene = (width, height, label, shapes) => ({ width, height, label, shapes });

/** @param {number} x @param {number} y @param {number} width @param {number} height @param {{fill?: string, stroke?: string, line?: number, opacity?: number, dash?: number[]}} [style] @returns {Shape} */
export const rect = (x, y, width, height, style = {}) => ({
	shape: "rect",
	x,
	y,
	width,
	height,
	...style,
});

/** Diagonal strokes: a cell that is masked. @param {number} x @param {number} y @param {number} width @param {number} height @param {{stroke: string, gap?: number, line?: number}} style @returns {Shape} */
export const hatch = (x, y, width, height, style) => ({
	shape: "hatch",
	x,
	y,
	width,
	height,
	gap: 6,
	line: 1,
	...style,
});

/** An open or closed line. @param {[number, number][]} points @param {{stroke?: string, fill?: string, line?: number, opacity?: number, dash?: number[], closed?: boolean}} style @returns {Shape} */
export const path = (points, style) => ({ shape: "path", points, ...style });

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {{stroke: string, line?: number, opacity?: number, dash?: number[]}} style @returns {Shape} */
export const line = (x1, y1, x2, y2, style) =>
	path(
		[
			[x1, y1],
			[x2, y2],
		],
		style,
	);

/** A line that leaves and arrives level, for flows from left to right. @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {{stroke: string, line?: number, opacity?: number, dash?: number[]}} style @returns {Shape} */
export const link = (x1, y1, x2, y2, style) => ({ shape: "link", x1, y1, x2, y2, ...style });

/** @param {number} x @param {number} y @param {number} radius @param {{fill?: string, stroke?: string, line?: number, opacity?: number}} style @returns {Shape} */
export const dot = (x, y, radius, style) => ({ shape: "dot", x, y, radius, ...style });

/**
 * Words (`font` sans) or tokens and numbers (`font` mono). `turn` is in degrees about (x, y).
 * @param {number} x @param {number} y @param {string} content
 * @param {{fill: string, size: number, font?: "sans" | "serif" | "mono", anchor?: "start" | "middle" | "end", baseline?: "top" | "middle" | "bottom", weight?: number, italic?: boolean, turn?: number, opacity?: number}} style
 * @returns {Shape}
 */
export const text = (x, y, content, style) => ({
	shape: "text",
	x,
	y,
	content,
	font: "sans",
	anchor: "start",
	baseline: "middle",
	...style,
});

/** A block of equal cells as RGBA bytes, row by row: one shape for a whole heat map. @param {number} x @param {number} y @param {number} width @param {number} height @param {number} rows @param {number} columns @param {Uint8ClampedArray} pixels @returns {Shape} */
export const cells = (x, y, width, height, rows, columns, pixels) => ({
	shape: "cells",
	x,
	y,
	width,
	height,
	rows,
	columns,
	pixels,
});

/** The same shapes elsewhere. @param {number} dx @param {number} dy @param {Shape[]} shapes @returns {Shape[]} */
export const move = (dx, dy, shapes) =>
	shapes.map(
		(shape) =>
			MOVES[shape.shape]?.(shape, dx, dy) ?? { ...shape, x: shape.x + dx, y: shape.y + dy },
	);

/** @type {Record<string, (shape: Shape, dx: number, dy: number) => Shape>} */
const MOVES = {
	path: (shape, dx, dy) => ({ ...shape, points: shape.points.map(([x, y]) => [x + dx, y + dy]) }),
	link: (shape, dx, dy) => ({
		...shape,
		x1: shape.x1 + dx,
		y1: shape.y1 + dy,
		x2: shape.x2 + dx,
		y2: shape.y2 + dy,
	}),
};
