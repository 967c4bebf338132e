// What still pictures are painted of: words, lines and dots, bars, cells, photographs.

import { make, within } from "../common.js";
import { luminance, rgb } from "../draw/palette.js";
import { areasOf, each, edges } from "./traces.js";
import { plain } from "./axis.js";

/** @type {Record<string, PaintTrace>} */
export const TRACES = {
	scatter: lines,
	bar: bars,
	heatmap: cells,
	image: picture,
};

/** @type {WriteWords} */
export function words(ink, content, x, y, font, how = {}) {
	const { family, size, color, weight = 400 } = font;
	const { anchor = "center", baseline = "middle", turn = 0 } = how;
	const bold = /^<b>(.*)<\/b>$/s.exec(content);
	ink.save();
	ink.translate(x, y);
	ink.rotate((turn * Math.PI) / 180);
	ink.font = `${bold ? 700 : weight} ${size}px ${family}`;
	Object.assign(ink, { fillStyle: color, textAlign: anchor, textBaseline: baseline });
	ink.fillText(plain(bold ? bold[1] : content), 0, 0);
	ink.restore();
}

/** @param {string} [dash] "4px,4px" */
export const dashes = (dash) => (dash ? dash.split(",").map(Number.parseFloat) : []);

/** @type {PaintTrace} */
function lines({ ink, toX, toY }, { x, y, mode = "lines", line = {}, marker = {} }) {
	const points = Array.from(x, (value, i) => [toX(value), toY(y[i])]);
	const shown = points.map((point, i) => y[i] !== null && point.every(Number.isFinite));
	ink.lineJoin = "round";
	if (mode.includes("lines")) {
		Object.assign(ink, { strokeStyle: line.color, lineWidth: line.width ?? 2 });
		ink.setLineDash(dashes(line.dash));
		ink.beginPath();
		points.forEach(([px, py], i) => shown[i] && ink[shown[i - 1] ? "lineTo" : "moveTo"](px, py));
		ink.stroke();
		ink.setLineDash([]);
	}
	if (!mode.includes("markers")) return;
	ink.globalAlpha *= marker.opacity ?? 1;
	points.forEach(([px, py], i) => {
		if (!shown[i]) return;
		const [colour, half] = [each(marker.color, i), (each(marker.size, i) ?? 6) / 2];
		const edge = each(marker.line?.width, i) ?? 0;
		Object.assign(ink, { fillStyle: colour, strokeStyle: colour, lineWidth: edge || 1 });
		ink.beginPath();
		if (marker.symbol === "line-ew-open") {
			ink.moveTo(px - 1.4 * half, py); // as long as Plotly's
			ink.lineTo(px + 1.4 * half, py);
			return ink.stroke();
		}
		ink.arc(px, py, half, 0, 2 * Math.PI);
		if (marker.symbol === "circle-open") return ink.stroke();
		ink.fill();
		if (!edge) return;
		ink.strokeStyle = each(marker.line.color, i);
		ink.stroke();
	});
}

/** @type {PaintTrace} */
function bars(
	{ ink, toX, toY },
	{ x, y, base, width, offset, marker, orientation, text, insidetextfont },
) {
	const level = orientation === "h";
	const [along, up, toAlong, toUp] = level ? [y, x, toY, toX] : [x, y, toX, toY];
	const step = width ?? 0.8 * (along.length > 1 ? Math.abs(along[1] - along[0]) : 1);
	const { colorscale, cmin, cmax } = marker;
	const shade = colorscale && shades(colorscale, cmin, cmax);
	for (let i = 0; i < along.length; i += 1) {
		if (up[i] === null) continue;
		const from = each(base, i) ?? 0;
		const begin = Number(along[i]) + (each(offset, i) ?? -each(step, i) / 2);
		const [a, b] = [toAlong(begin), toAlong(begin + each(step, i))];
		const [c, d] = [toUp(from), toUp(from + up[i])];
		/** @type {[number, number, number, number]} */
		const area = level ? [c, a, d - c, b - a] : [a, c, b - a, d - c];
		const colour = shade ? `rgb(${shade(marker.color[i])})` : each(marker.color, i);
		ink.fillStyle = colour;
		ink.fillRect(...area);
		const edge = each(marker.line?.width, i);
		if (edge) {
			Object.assign(ink, { strokeStyle: each(marker.line.color, i), lineWidth: edge });
			ink.strokeRect(...area);
		}
		const color = text && onColour(shade ? shade(marker.color[i]) : rgb(colour));
		if (text) words(ink, text[i], (c + d) / 2, (a + b) / 2, { ...insidetextfont, color });
	}
}

/** @type {PaintTrace} */
function cells(pen, trace) {
	const { ink, toX, toY } = pen;
	const { x, y, z, zmin, zmax, text, texttemplate, textfont, meta } = trace;
	const [rows, columns] = [z.length, z[0]?.length ?? 0];
	const shade = shades(trace.colorscale, zmin, zmax);
	const down = toY(1) > toY(0);
	const small = bitmap(rows, columns, (r, c) => {
		const value = z[down ? r : rows - 1 - r][c];
		return Number.isFinite(value) ? shade(value) : null;
	});
	if (meta?.hatched) hatch(pen, trace);
	const [xs, ys] = [edges(x, columns).map(toX), edges(y, rows).map(toY)];
	ink.imageSmoothingEnabled = false;
	for (const [top, bottom] of spans(ys)) {
		for (const [left, right] of spans(xs)) {
			const from = down ? top : rows - bottom;
			const [high, at] = [Math.abs(ys[bottom] - ys[top]), Math.min(ys[top], ys[bottom])];
			const wide = xs[right] - xs[left];
			ink.drawImage(small, left, from, right - left, bottom - top, xs[left], at, wide, high);
		}
	}
	if (!texttemplate) return;
	for (let r = 0; r < rows; r += 1) {
		for (let c = 0; c < columns; c += 1) {
			if (!Number.isFinite(z[r][c])) continue;
			const font = { ...textfont, color: onColour(shade(z[r][c])) };
			const [px, py] = [(xs[c] + xs[c + 1]) / 2, (ys[r] + ys[r + 1]) / 2];
			/** @type {string[]} */ const said = text[r][c].split("<br>");
			said.forEach((line, i) =>
				words(ink, line, px, py + 1.3 * font.size * (i - (said.length - 1) / 2), font),
			);
		}
	}
}

/** Hatching, over which cells are painted; it shows where they are masked. @type {PaintTrace} */
function hatch({ ink, box, toX, toY, colours }, trace) {
	const path = new Path2D();
	for (const [left, right, top, bottom] of areasOf(trace).areas)
		path.rect(toX(left), toY(top), toX(right) - toX(left), toY(bottom) - toY(top));
	ink.save();
	ink.clip(path);
	Object.assign(ink, { lineWidth: 1, strokeStyle: colours.hatch });
	const { x, y, width, height } = box;
	ink.beginPath();
	for (let at = x - height; at < x + width; at += 6 * Math.SQRT2) {
		ink.moveTo(at, y + height);
		ink.lineTo(at + height, y);
	}
	ink.stroke();
	ink.restore();
}

/** Light in three colours, from 0 to 1. @type {PaintTrace} */
function picture({ ink, toX, toY }, { z, x0, y0 }) {
	const [rows, columns] = [z.length, z[0].length];
	const small = bitmap(rows, columns, (r, c) => [
		...Array.from(z[r][c], (light = 0) => 255 * light),
		255,
	]);
	const [x, y] = [toX(x0 - 0.5), toY(y0 - 0.5)];
	ink.imageSmoothingEnabled = false;
	ink.drawImage(small, x, y, toX(x0 + columns - 0.5) - x, toY(y0 + rows - 0.5) - y);
}

/** A canvas of a pixel a cell; null is clear. @type {Bitmap} */
function bitmap(rows, columns, shade) {
	const image = new ImageData(Math.max(1, columns), Math.max(1, rows));
	for (let r = 0; r < rows; r += 1)
		for (let c = 0; c < columns; c += 1) image.data.set(shade(r, c) ?? [], 4 * (r * columns + c));
	const small = make("canvas", { width: image.width, height: image.height });
	small.getContext("2d").putImageData(image, 0, 0);
	return small;
}

/**
 * Cells of one size side by side: from which edge to which.
 * @param {number[]} at edges, in pixels
 */
function spans(at) {
	const found = /** @type {[number, number][]} */ ([]);
	let start = 0;
	for (let i = 1; i < at.length; i += 1) {
		const next = at[i + 1] - at[i] - (at[start + 1] - at[start]);
		if (i + 1 < at.length && Math.abs(next) < 0.02) continue;
		found.push([start, i]);
		start = i;
	}
	return found;
}

/** The colour of a number between the ends of a scale. @type {Shades} */
function shades(colorscale, low, high) {
	const stops = colorscale.map(([, hex]) => [...rgb(hex), parseInt(hex.slice(7) || "ff", 16)]);
	const all = Array.from({ length: 1025 }, (_, i) => {
		const at = (i / 1024) * (stops.length - 1);
		const below = Math.min(Math.floor(at), stops.length - 2);
		return /** @type {[number, number, number, number]} */ (
			stops[below].map((part, k) => Math.round(part + (at - below) * (stops[below + 1][k] - part)))
		);
	});
	return (value = 0) => all[Math.round(1024 * within(0, 1, (value - low) / (high - low)))];
}

const DARK = luminance([68, 68, 68]);

/** Plotly's rule: white or #444, whichever has more contrast. @param {number[]} colour */
function onColour([r, g, b]) {
	const under = luminance([r, g, b]) + 0.05;
	return 1.05 / under >= under / (DARK + 0.05) ? "#ffffff" : "#444444";
}
