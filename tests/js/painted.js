// A document for node tests of what is drawn: elements that remember what they were given, the
// colours of tokens.css, and a canvas that knows the colour of each of its pixels.

import { readFileSync } from "node:fs";

const css = readFileSync(new URL("../../static/css/tokens.css", import.meta.url), "utf8");

/** The tokens of the light theme, by name. */
export const TOKENS = Object.fromEntries(
	[...css.slice(0, css.indexOf("\n}")).matchAll(/--([\w-]+):\s*([^;]+);/g)].map(
		([, name, value]) => [name, value],
	),
);

/** An element with attributes, children and a text; a canvas has a context. */
class Fake {
	constructor(tag) {
		Object.assign(this, { tag, attributes: {}, children: [], style: {}, dataset: {} });
	}
	setAttribute(name, value) {
		this.attributes[name] = value;
	}
	append(...children) {
		this.children.push(...children);
	}
	getContext() {
		this.context ??= new Ink();
		return this.context;
	}
}

/** The path of an SVG as its rectangle, if it is one. */
class Path {
	constructor(d = "") {
		this.d = d;
	}
	rect() {}
	ellipse() {}
}

const channels = (colour) =>
	colour.startsWith("rgb")
		? colour
				.match(/[\d.]+/g)
				.slice(0, 3)
				.map(Number)
		: [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));

/** Remembers rectangles and small pictures with their places, words with theirs, and gradients. */
export class Ink {
	constructor() {
		Object.assign(this, { areas: [], said: [], shades: [], at: [0, 0], kept: [] });
	}
	save() {
		this.kept.push(this.at);
	}
	restore() {
		this.at = this.kept.pop();
	}
	translate(x, y) {
		this.at = [this.at[0] + x, this.at[1] + y];
	}
	fillText(text, x, y) {
		const { textAlign: align, textBaseline: baseline } = this;
		this.said.push({ text, x: this.at[0] + x, y: this.at[1] + y, align, baseline });
	}
	fillRect(x, y, width, height) {
		const colourOf = () => (typeof this.fillStyle === "string" ? channels(this.fillStyle) : null);
		this.areas.push({ x, y, width, height, colourOf: colourOf(), shade: this.fillStyle });
	}
	drawImage({ context }, sx, sy, sw, sh, x, y, width, height) {
		const { data, width: columns } = context.image;
		this.areas.push({ x, y, width, height, cells: { data, columns, sx, sy, sw, sh } });
	}
	putImageData(image) {
		this.image = image;
	}
	createLinearGradient(x0, y0, x1, y1) {
		const shade = { from: y0, to: y1, stops: [] };
		shade.addColorStop = (at, colour) => shade.stops.push([at, colour]);
		this.shades.push(shade);
		return shade;
	}
	measureText(text) {
		return { width: 8 * text.length };
	}

	/** Red, green and blue at a point, as what was painted there last has them; null on paper. */
	colour(px, py) {
		const area = this.areas.findLast(
			({ x, y, width, height }) =>
				px >= Math.min(x, x + width) &&
				px <= Math.max(x, x + width) &&
				py >= Math.min(y, y + height) &&
				py <= Math.max(y, y + height),
		);
		if (!area?.cells) return area?.colourOf ?? null;
		const { data, columns, sx, sy, sw, sh } = area.cells;
		const column = Math.floor(sx + ((px - area.x) / area.width) * sw);
		const row = Math.floor(sy + ((py - area.y) / area.height) * sh);
		const [r, g, b, opacity] = data.slice(
			4 * (row * columns + column),
			4 * (row * columns + column) + 4,
		);
		return opacity ? [r, g, b] : null;
	}
}
for (const name of ["scale", "rotate", "beginPath", "rect", "clip", "stroke", "fill", "moveTo"])
	Ink.prototype[name] = () => {};
for (const name of ["lineTo", "arc", "setLineDash", "strokeRect"]) Ink.prototype[name] = () => {};

/** Puts the document in its place. What stands in it is `found`, by id. */
export function drawable(found = {}) {
	Object.assign(globalThis, {
		devicePixelRatio: 1,
		Element: Fake,
		Path2D: Path,
		ImageData: class {
			constructor(width, height) {
				Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
			}
		},
		getComputedStyle: () => ({
			fontSize: "16px",
			getPropertyValue: (name) => TOKENS[name.slice(2)] ?? "",
		}),
		document: {
			documentElement: new Fake("html"),
			body: new Fake("body"),
			head: new Fake("head"),
			createElement: (tag) => new Fake(tag),
			createElementNS: (_, tag) => new Fake(tag),
			getElementById: (id) => found[id] ?? null,
			querySelector: () => null,
			querySelectorAll: () => [],
			addEventListener() {},
			dispatchEvent() {},
		},
	});
	return Fake;
}

export const measure = (content) => 8 * content.length;
