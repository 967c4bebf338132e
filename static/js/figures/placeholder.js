// The first picture of a figure, painted on a canvas from the same arrangement that Plotly is
// given.

import { $, make } from "../common.js";
import { barTicks, scaled } from "./fit.js";
import { plain } from "./axis.js";
import { dashes, TRACES, words } from "./placeholder-traces.js";

/** @type {Ink} */
const pen = make("canvas").getContext("2d");

/** @type {Measure} */
export function measure(content, family, size) {
	pen.font = `${size}px ${family}`;
	return pen.measureText(content).width;
}

/** @param {HTMLElement} stage @returns {HTMLCanvasElement} */
export function canvasOf(stage) {
	if (!$("canvas", stage)) stage.prepend(make("canvas"));
	return $("canvas", stage);
}

/** @param {Axis} axis @param {number} from @param {number} to @returns {ToPixel} */
export function placed({ range: [low, high], type }, from, to) {
	const at = type === "log" ? Math.log10 : Number;
	return (value) => from + ((at(value) - low) / (high - low)) * (to - from);
}

/** @param {HTMLCanvasElement} canvas @param {Arranged} figure @param {Palette} colours */
export function paint(canvas, { data, layout, panels, size }, colours) {
	const ratio = devicePixelRatio || 1;
	Object.assign(canvas, { width: size.width * ratio, height: size.height * ratio });
	Object.assign(canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
	const ink = /** @type {Ink} */ (canvas.getContext("2d"));
	ink.scale(ratio, ratio);
	for (const { x, y, box, bar } of panels) {
		const [level, upright] = [layout[x], layout[y]];
		const toX = placed(level, box.x, box.x + box.width);
		const toY = placed(upright, box.y + box.height, box.y);
		const pen = { ink, level, upright, box, toX, toY, colours };
		const key = x.replace("axis", "");
		const traces = data.filter(({ xaxis = "x" }) => xaxis === key);
		const shapes = layout.shapes.filter(({ xref }) => xref === key);
		within(pen, () => shapes.forEach((shape) => shape.layer === "below" && stroke(pen, shape)));
		grid(pen);
		within(pen, () => {
			for (const trace of traces) {
				ink.globalAlpha = trace.opacity ?? 1;
				TRACES[trace.type ?? "scatter"]?.(pen, trace);
			}
			ink.globalAlpha = 1;
			for (const shape of shapes) if (shape.layer !== "below") stroke(pen, shape);
		});
		frame(pen);
		ticks(pen);
		for (const scale of traces.map(scaled)) if (scale) colourBar(pen, scale, bar);
		// On an axis of logarithms notes have their places in powers of ten.
		const power = (/** @type {Axis} */ { type }, at = 0) => (type === "log" ? 10 ** at : at);
		for (const note of layout.annotations) {
			const x = toX(power(level, note.x));
			if (note.xref === key && x > box.x - 1 && x < box.x + box.width + 1)
				write(ink, note, x, toY(power(upright, note.y)));
		}
	}
	const { t: top } = layout.margin;
	for (const note of layout.annotations)
		if (note.xref === "paper")
			write(ink, note, note.x * size.width, top + (1 - note.y) * (size.height - top));
}

/** @param {Pen} pen @param {() => void} draw what stays within the axes */
function within({ ink, box }, draw) {
	ink.save();
	ink.beginPath();
	ink.rect(box.x, box.y, box.width, box.height);
	ink.clip();
	draw();
	ink.restore();
}

/** @param {Pen} pen */
function grid({ ink, level, upright, box, toX, toY }) {
	ink.lineWidth = 1;
	const [right, bottom] = [box.x + box.width, box.y + box.height];
	const across = (y = 0, colour = "") => segment(ink, box.x, y, right, y, colour);
	const down = (x = 0, colour = "") => segment(ink, x, box.y, x, bottom, colour);
	const inside = (/** @type {Axis} */ { zeroline, range }) =>
		zeroline && Math.min(...range) < 0 && Math.max(...range) > 0;
	if (upright.showgrid)
		for (const tick of upright.tickvals ?? []) across(toY(tick), upright.gridcolor);
	if (level.showgrid) for (const tick of level.tickvals ?? []) down(toX(tick), level.gridcolor);
	if (inside(upright)) across(toY(0), upright.zerolinecolor);
	if (inside(level)) down(toX(0), level.zerolinecolor);
}

/** @type {Segment} */
function segment(ink, x0, y0, x1, y1, colour) {
	ink.strokeStyle = colour;
	ink.stroke(new Path2D(`M${x0} ${y0}L${x1} ${y1}`));
}

/** @param {Pen} pen */
function frame({ ink, level: { showline, mirror, linecolor, side }, box }) {
	if (!showline) return;
	const { x, y, width, height } = box;
	ink.strokeStyle = linecolor;
	ink.lineWidth = 1;
	if (mirror) return ink.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
	const edge = side === "top" ? y : y + height;
	segment(ink, x, edge, x + width, edge, linecolor);
	segment(ink, x, y, x, y + height, linecolor);
}

/** @param {Pen} pen */
function ticks({ ink, level, upright, box, toX, toY }) {
	const { tickvals = [], ticktext = [], tickangle, ticks, ticklen, tickcolor, tickfont } = level;
	const above = level.side === "top";
	const way = above ? -1 : 1;
	const length = ticks ? way * ticklen : 0;
	const edge = above ? box.y : box.y + box.height;
	/** @type {[number, number, TextStyle]} how far from its tick a name stands */
	const [right, down, how] = tickangle
		? [
				above ? 1 : 2,
				(above ? -10 : length + 11) / (tickangle < -45 ? 2 : 1),
				{ anchor: above ? "left" : "right", turn: tickangle },
			]
		: [0, above ? length / 2 - 3 : length + 6, { baseline: above ? "bottom" : "top" }];
	tickvals.forEach((tick, i) => {
		const x = toX(tick);
		if (length) segment(ink, x, edge, x, edge + length, tickcolor);
		words(ink, ticktext[i], x + right, edge + down, tickfont, how);
	});
	const out = upright.ticks ? upright.ticklen : 0;
	upright.tickvals?.forEach((tick, i) => {
		const y = toY(tick);
		if (out) segment(ink, box.x, y, box.x - out, y, upright.tickcolor);
		const name = upright.ticktext?.[i] ?? "";
		words(ink, name, box.x - out - 3, y, upright.tickfont, { anchor: "right" });
	});
}

/** @type {WriteNote} */
function write(ink, note, x, y) {
	const { text, font, xanchor = "center", yanchor = "middle", xshift = 0, yshift = 0 } = note;
	const { bgcolor, borderpad: pad = 0 } = note;
	const how = { anchor: xanchor, baseline: yanchor };
	if (!bgcolor) return words(ink, text, x + xshift, y - yshift, font, how);
	Object.assign(ink, { font: `${font.size}px ${font.family}`, fillStyle: bgcolor });
	const [width, height] = [ink.measureText(plain(text)).width + 2 * pad, font.size * 1.3 + 2 * pad];
	const share = (anchor = "") =>
		/left|top/.test(anchor) ? 0 : /right|bottom/.test(anchor) ? 1 : 0.5;
	const [left, top] = [x + xshift - share(xanchor) * width, y - yshift - share(yanchor) * height];
	ink.fillRect(left, top, width, height);
	words(ink, text, left + pad, top + height / 2, font, { anchor: "left" });
}

/** @param {Pen} pen @param {Shape} shape */
function stroke({ ink, toX, toY, box }, shape) {
	const { x0, x1, y0, y1, yref, line = {}, fillcolor, type, opacity = 1 } = shape;
	const up = yref.endsWith("domain") ? (y = 0) => box.y + box.height * (1 - y) : toY;
	/** @type {Record<string, string>} */
	const paths = {
		path: shape.path,
		rect: `M${x0},${y0}L${x1},${y0}L${x1},${y1}L${x0},${y1}Z`,
		line: `M${x0},${y0}L${x1},${y1}`,
	};
	const inPixels = (_ = "", x = "", y = "") => `${toX(+x)},${up(+y)}`;
	const path = new Path2D((paths[type] ?? "").replace(/([-\d.e]+),([-\d.e]+)/g, inPixels));
	if (type === "circle") {
		const [left, right, top, bottom] = [toX(x0), toX(x1), up(y0), up(y1)];
		const half = [Math.abs(right - left) / 2, Math.abs(bottom - top) / 2];
		path.ellipse((left + right) / 2, (top + bottom) / 2, half[0], half[1], 0, 0, 2 * Math.PI);
	}
	ink.setLineDash(dashes(line.dash));
	Object.assign(ink, { lineWidth: line.width ?? 1, globalAlpha: opacity, strokeStyle: line.color });
	if (fillcolor) Object.assign(ink, { fillStyle: fillcolor }).fill(path);
	if (line.width !== 0) ink.stroke(path);
	ink.setLineDash([]);
	ink.globalAlpha = 1;
}

/** @param {Pen} pen @param {Trace} scale @param {number} left */
function colourBar({ ink, box: { y, height }, colours }, scale, left) {
	const { thickness, tickfont } = scale.colorbar;
	const shade = ink.createLinearGradient(0, y + height, 0, y);
	for (const [at, colour] of scale.colorscale) shade.addColorStop(at, colour);
	Object.assign(ink, { fillStyle: shade, strokeStyle: colours.ruleStrong });
	ink.fillRect(left, y, thickness, height);
	ink.strokeRect(left, y, thickness, height);
	barTicks(scale).forEach(([, name], i) =>
		words(ink, name, left + thickness + 4, y + height * (1 - i / 2), tickfont, { anchor: "left" }),
	);
}
