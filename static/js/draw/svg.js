// Writes a scene as SVG: vectors for export and print.

import { strokes } from "./canvas.js";

/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("./scene.js").Shape} Shape */
/** @typedef {import("./canvas.js").Fonts} Fonts */

/** @param {unknown} value */
const escape = (value) =>
	printable(String(value)).replace(
		/[&<>"]/g,
		(c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c,
	);

/** Not allowed in XML 1.0, even escaped. @param {string} content */
const printable = (content) =>
	content.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");

/** @param {string} name @param {Record<string, unknown>} attributes @param {string} [content] */
function element(name, attributes, content = "") {
	const written = Object.entries(attributes).filter(
		([, value]) => value !== undefined && value !== null,
	);
	return `<${name}${written.map(([key, value]) => ` ${key}="${escape(value)}"`).join("")}>${content}</${name}>`;
}

/** @param {number} value */
const px = (value) => Math.round(value * 100) / 100;

/** @param {Shape} shape */
const ink = (shape) => ({
	class: shape.kind,
	fill: shape.fill ?? "none",
	stroke: shape.stroke,
	"stroke-width": shape.stroke && (shape.line ?? 1),
	"stroke-dasharray": shape.dash?.join(" "),
	opacity: shape.opacity,
});

/** @param {number[][]} points */
const through = (points) => points.map(([x, y], i) => `${i ? "L" : "M"}${px(x)} ${px(y)}`).join("");

const BASELINES = { top: "0.8em", middle: "0.35em", bottom: "-0.2em" };

/** @type {Record<string, (shape: Shape, fonts: Fonts, image: (shape: Shape) => string) => string>} */
const WRITERS = {
	rect: (s) =>
		element("rect", {
			x: px(s.x),
			y: px(s.y),
			width: px(s.width),
			height: px(s.height),
			...ink(s),
		}),
	path: (s) =>
		element("path", {
			d: through(s.points) + (s.closed ? "Z" : ""),
			"stroke-linejoin": "round",
			...ink(s),
		}),
	dot: (s) => element("circle", { cx: px(s.x), cy: px(s.y), r: px(s.radius), ...ink(s) }),
	link(s) {
		const middle = px((s.x1 + s.x2) / 2);
		return element("path", {
			d: `M${px(s.x1)} ${px(s.y1)}C${middle} ${px(s.y1)} ${middle} ${px(s.y2)} ${px(s.x2)} ${px(s.y2)}`,
			...ink(s),
		});
	},
	hatch(s) {
		const inside = strokes(s)
			.map(([x1, y1, x2, y2]) => clipped(x1, y1, x2, y2, s))
			.filter((ends) => ends !== null);
		return element("path", { d: inside.map(through).join(""), ...ink(s) });
	},
	text: (s, fonts) =>
		element(
			"text",
			{
				x: px(s.x),
				y: px(s.y),
				dy: BASELINES[/** @type {keyof BASELINES} */ (s.baseline)],
				fill: s.fill,
				opacity: s.opacity,
				"font-family": fonts[/** @type {keyof Fonts} */ (s.font)],
				"font-size": s.size,
				"font-weight": s.weight,
				"font-style": s.italic ? "italic" : undefined,
				"text-anchor": s.anchor,
				transform: s.turn ? `rotate(${s.turn} ${px(s.x)} ${px(s.y)})` : undefined,
				"xml:space": "preserve",
			},
			escape(s.content),
		),
	cells: (s, _, image) =>
		element("image", {
			x: px(s.x),
			y: px(s.y),
			width: px(s.width),
			height: px(s.height),
			preserveAspectRatio: "none",
			style: "image-rendering:pixelated",
			href: image(s),
		}),
};

/** The part of a falling diagonal (x + y constant) that lies in a box. @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {Shape} box @returns {number[][] | null} */
function clipped(x1, y1, x2, y2, box) {
	const sum = x1 + y1;
	const left = Math.max(box.x, x2);
	const right = Math.min(box.x + box.width, x1);
	return left < right
		? [
				[left, sum - left],
				[right, sum - right],
			]
		: null;
}

/** The scene as an element of the page; parsed as XML, so that nothing in it can become a script. @param {Scene} scene @param {{fonts: Fonts, image?: (shape: Shape) => string}} options */
export function svgElement(scene, options) {
	const parsed = new DOMParser().parseFromString(
		svg(scene, options),
		"image/svg+xml",
	).documentElement;
	parsed.setAttribute("role", "group"); // its links are for the keyboard and the ear too
	return document.importNode(parsed, true);
}

/**
 * The scene as the text of an SVG file; `image` turns cells into a data address.
 * @param {Scene} scene @param {{fonts: Fonts, background?: string, image?: (shape: Shape) => string, notes?: string[], ink?: string}} options
 */
export function svg(
	scene,
	{ fonts, background, image = () => "", notes = [], ink: noteInk = "black" },
) {
	const noteHeight = 16;
	const height = scene.height + notes.length * noteHeight;
	const ground = background
		? element("rect", { width: scene.width, height, fill: background })
		: "";
	const body = scene.shapes.map((shape) => WRITERS[shape.shape](shape, fonts, image)).join("\n");
	const foot = notes.map((note, i) =>
		element(
			"text",
			{
				x: 4,
				y: scene.height + noteHeight * (i + 0.7),
				"font-size": 11,
				fill: noteInk,
				"font-family": fonts.sans,
			},
			escape(note),
		),
	);
	return element(
		"svg",
		{
			xmlns: "http://www.w3.org/2000/svg",
			width: px(scene.width),
			height: px(height),
			viewBox: `0 0 ${px(scene.width)} ${px(height)}`,
			role: "img",
			"aria-label": scene.label,
		},
		`\n${ground}\n${body}\n${foot.join("\n")}\n`,
	);
}
