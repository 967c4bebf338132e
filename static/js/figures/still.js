// The first picture of a figure, painted on a canvas from the same arrangement that Plotly is given.

import { luminance, rgb } from "../draw/palette.js";
import { barTicks, plain, scaled } from "./arrange.js";
import { edges, masked } from "./cells.js";

/** @typedef {import("./arrange.js").Arranged} Arranged */
/** @typedef {import("./arrange.js").Box} Box */
/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {(value: number) => number} Place a number's place on an axis, in pixels */

/** @param {any} axis @param {number} from @param {number} to @returns {Place} */
export function placed({ range: [low, high], type }, from, to) {
	const at = type === "log" ? Math.log10 : Number;
	return (value) => from + ((at(value) - low) / (high - low)) * (to - from);
}

/** @param {HTMLCanvasElement} canvas @param {Arranged} figure @param {Palette} colours */
export function paint(canvas, { data, layout, panels, size }, colours) {
	const ratio = devicePixelRatio || 1;
	Object.assign(canvas, { width: size.width * ratio, height: size.height * ratio });
	Object.assign(canvas.style, { width: `${size.width}px`, height: `${size.height}px` });
	const ink = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
	ink.scale(ratio, ratio);
	for (const { x, y, box, bar: beside } of panels) {
		const [level, upright] = [layout[x], layout[y]];
		const toX = placed(level, box.x, box.x + box.width);
		const toY = placed(upright, box.y + box.height, box.y);
		const key = x.replace("axis", "");
		const mine = data.filter((trace) => (trace.xaxis ?? "x") === key);
		const shapes = layout.shapes.filter((/** @type {any} */ shape) => shape.xref === key);
		const below = (/** @type {any} */ shape) => shape.layer === "below";
		clipped(ink, box, () =>
			shapes.filter(below).forEach((/** @type {any} */ shape) => stroke(ink, shape, toX, toY, box)),
		);
		grid(ink, level, upright, box, toX, toY);
		clipped(ink, box, () => {
			for (const trace of mine) {
				ink.globalAlpha = trace.opacity ?? 1;
				TRACES[trace.type ?? "scatter"]?.(ink, trace, toX, toY, box, colours);
			}
			ink.globalAlpha = 1;
			for (const shape of shapes) if (!below(shape)) stroke(ink, shape, toX, toY, box);
		});
		frame(ink, level, box);
		ticks(ink, level, upright, box, toX, toY);
		for (const scale of mine.map(scaled)) if (scale) bar(ink, scale, beside, box, colours);
		for (const note of layout.annotations) {
			const x = toLog(level, toX)(note.x);
			const seen = x > box.x - 1 && x < box.x + box.width + 1;
			if (note.xref === key && seen) write(ink, note, x, toLog(upright, toY)(note.y));
		}
	}
	const inner = size.height - layout.margin.t;
	for (const note of layout.annotations) {
		if (note.xref === "paper")
			write(ink, note, note.x * size.width, layout.margin.t + (1 - note.y) * inner);
	}
}

/** @param {CanvasRenderingContext2D} ink @param {Box} box @param {() => void} draw */
function clipped(ink, box, draw) {
	ink.save();
	ink.beginPath();
	ink.rect(box.x, box.y, box.width, box.height);
	ink.clip();
	draw();
	ink.restore();
}

/** Notes on an axis of logarithms have their places in powers of ten. @param {any} axis @param {Place} place @returns {Place} */
const toLog =
	({ type }, place) =>
	(value) =>
		place(type === "log" ? 10 ** value : value);

/** @param {CanvasRenderingContext2D} ink @param {any} level @param {any} upright @param {Box} box @param {Place} toX @param {Place} toY */
function grid(ink, level, upright, box, toX, toY) {
	ink.lineWidth = 1;
	const across = (/** @type {number} */ y, /** @type {string} */ colour) =>
		segment(ink, box.x, y, box.x + box.width, y, colour);
	const down = (/** @type {number} */ x, /** @type {string} */ colour) =>
		segment(ink, x, box.y, x, box.y + box.height, colour);
	if (upright.showgrid) for (const tick of upright.tickvals) across(toY(tick), upright.gridcolor);
	if (level.showgrid) for (const tick of level.tickvals) down(toX(tick), level.gridcolor);
	if (upright.zeroline && inside(upright, 0)) across(toY(0), upright.zerolinecolor);
	if (level.zeroline && inside(level, 0)) down(toX(0), level.zerolinecolor);
}

/** @param {any} axis @param {number} value */
const inside = ({ range }, value) => value > Math.min(...range) && value < Math.max(...range);

/** @param {CanvasRenderingContext2D} ink @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 @param {string} colour */
function segment(ink, x0, y0, x1, y1, colour) {
	ink.strokeStyle = colour;
	ink.beginPath();
	ink.moveTo(x0, y0);
	ink.lineTo(x1, y1);
	ink.stroke();
}

/** The lines of the axes. @param {CanvasRenderingContext2D} ink @param {any} level @param {Box} box */
function frame(ink, level, { x, y, width, height }) {
	if (!level.showline) return;
	ink.strokeStyle = level.linecolor;
	ink.lineWidth = 1;
	if (level.mirror) ink.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
	else {
		const edge = level.side === "top" ? y : y + height;
		segment(ink, x, edge, x + width, edge, level.linecolor);
		segment(ink, x, y, x, y + height, level.linecolor);
	}
}

/** @param {CanvasRenderingContext2D} ink @param {any} level @param {any} upright @param {Box} box @param {Place} toX @param {Place} toY */
function ticks(ink, level, upright, box, toX, toY) {
	const length = level.ticks ? level.ticklen : 0;
	const edge = level.side === "top" ? box.y : box.y + box.height;
	level.tickvals.forEach((/** @type {number} */ tick, /** @type {number} */ i) => {
		const x = toX(tick);
		if (length)
			segment(ink, x, edge, x, edge + (level.side === "top" ? -length : length), level.tickcolor);
		if (level.tickangle && level.side !== "top") {
			words(ink, level.ticktext[i], x + 2, edge + length + 11, {
				...level.tickfont,
				anchor: "right",
				baseline: "middle",
				turn: level.tickangle,
			});
		} else if (level.tickangle) {
			words(ink, level.ticktext[i], x + 1, edge - 10, {
				...level.tickfont,
				anchor: "left",
				baseline: "middle",
				turn: level.tickangle,
			});
		} else if (level.side === "top")
			words(ink, level.ticktext[i], x, edge - 3 - length / 2, {
				...level.tickfont,
				anchor: "center",
				baseline: "bottom",
			});
		else
			words(ink, level.ticktext[i], x, edge + length + 6, {
				...level.tickfont,
				anchor: "center",
				baseline: "top",
			});
	});
	upright.tickvals.forEach((/** @type {number} */ tick, /** @type {number} */ i) => {
		const out = upright.ticks ? upright.ticklen : 0;
		if (out) segment(ink, box.x, toY(tick), box.x - out, toY(tick), upright.tickcolor);
		words(ink, upright.ticktext[i], box.x - out - 3, toY(tick), {
			...upright.tickfont,
			anchor: "right",
			baseline: "middle",
		});
	});
}

/** @typedef {{family: string, size: number, color: string, anchor: CanvasTextAlign, baseline: CanvasTextBaseline, turn?: number, weight?: number}} Type */
/** @param {CanvasRenderingContext2D} ink @param {string} content @param {number} x @param {number} y @param {Type} type */
function words(
	ink,
	content,
	x,
	y,
	{ family, size, color, anchor, baseline, turn = 0, weight = 400 },
) {
	ink.save();
	ink.translate(x, y);
	ink.rotate((turn * Math.PI) / 180);
	const bold = /^<b>(.*)<\/b>$/s.exec(content);
	Object.assign(ink, {
		font: `${bold ? 700 : weight} ${size}px ${family}`,
		fillStyle: color,
		textAlign: anchor,
		textBaseline: baseline,
	});
	ink.fillText(plain(bold ? bold[1] : content), 0, 0);
	ink.restore();
}

/** @type {Record<string, CanvasTextBaseline>} */
const BASELINES = { top: "top", bottom: "bottom", middle: "middle" };

/** @param {CanvasRenderingContext2D} ink @param {any} note @param {number} x @param {number} y */
function write(
	ink,
	{
		text,
		font,
		xanchor = "center",
		yanchor = "middle",
		xshift = 0,
		yshift = 0,
		bgcolor,
		borderpad: pad = 0,
	},
	x,
	y,
) {
	if (!bgcolor)
		return words(ink, text, x + xshift, y - yshift, {
			...font,
			anchor: xanchor,
			baseline: BASELINES[yanchor],
		});
	Object.assign(ink, { font: `${font.size}px ${font.family}`, fillStyle: bgcolor });
	const [width, height] = [ink.measureText(plain(text)).width + 2 * pad, font.size * 1.3 + 2 * pad];
	const share = (/** @type {string} */ anchor) =>
		/left|top/.test(anchor) ? 0 : /right|bottom/.test(anchor) ? 1 : 0.5;
	const [left, top] = [x + xshift - share(xanchor) * width, y - yshift - share(yanchor) * height];
	ink.fillRect(left, top, width, height);
	words(ink, text, left + pad, top + height / 2, { ...font, anchor: "left", baseline: "middle" });
}

/** @param {CanvasRenderingContext2D} ink @param {any} shape @param {Place} toX @param {Place} toY @param {Box} box */
function stroke(
	ink,
	{ x0, x1, y0, y1, yref, line, fillcolor, type, path, opacity = 1 },
	toX,
	toY,
	box,
) {
	const up = yref.endsWith("domain")
		? (/** @type {number} */ y) => box.y + box.height * (1 - y)
		: toY;
	ink.setLineDash(dashes(line?.dash));
	ink.lineWidth = line?.width ?? 1;
	ink.globalAlpha = opacity;
	if (type === "path") (path.includes("Z") ? outline : bend)(ink, path, toX, up, line.color);
	else if (type === "rect") {
		const [x, y] = [Math.min(toX(x0), toX(x1)), Math.min(up(y0), up(y1))];
		Object.assign(ink, { fillStyle: fillcolor ?? "transparent", strokeStyle: line?.color });
		ink.fillRect(x, y, Math.abs(toX(x1) - toX(x0)), Math.abs(up(y1) - up(y0)));
		if (line?.width !== 0)
			ink.strokeRect(x, y, Math.abs(toX(x1) - toX(x0)), Math.abs(up(y1) - up(y0)));
	} else if (type === "circle") {
		ink.strokeStyle = line.color;
		ink.beginPath();
		ink.ellipse(
			(toX(x0) + toX(x1)) / 2,
			(up(y0) + up(y1)) / 2,
			Math.abs(toX(x1) - toX(x0)) / 2,
			Math.abs(up(y1) - up(y0)) / 2,
			0,
			0,
			2 * Math.PI,
		);
		ink.stroke();
	} else segment(ink, toX(x0), up(y0), toX(x1), up(y1), line.color);
	ink.setLineDash([]);
	ink.globalAlpha = 1;
}

/** Closed lines. @param {CanvasRenderingContext2D} ink @param {string} path "M x,y L x,y … Z", as often as there are lines @param {Place} toX @param {Place} toY @param {string} colour */
function outline(ink, path, toX, toY, colour) {
	ink.strokeStyle = colour;
	ink.beginPath();
	for (const line of path.split("Z")) {
		const at = (line.match(/[-\d.e]+/g) ?? []).map((number, i) =>
			(i % 2 ? toY : toX)(Number(number)),
		);
		for (let i = 0; i < at.length; i += 2) ink[i ? "lineTo" : "moveTo"](at[i], at[i + 1]);
		ink.closePath();
	}
	ink.stroke();
}

/** One bent line. @param {CanvasRenderingContext2D} ink @param {string} path "M x,y C x,y x,y x,y" @param {Place} toX @param {Place} toY @param {string} colour */
function bend(ink, path, toX, toY, colour) {
	const at = (path.match(/[-\d.e]+/g) ?? []).map((number, i) =>
		(i % 2 ? toY : toX)(Number(number)),
	);
	ink.strokeStyle = colour;
	ink.beginPath();
	ink.moveTo(at[0], at[1]);
	ink.bezierCurveTo(at[2], at[3], at[4], at[5], at[6], at[7]);
	ink.stroke();
}

/** @param {string} [dash] "4px,4px" */
const dashes = (dash) => (dash ? dash.split(",").map(Number.parseFloat) : []);

/** @type {Record<string, (ink: CanvasRenderingContext2D, trace: any, toX: Place, toY: Place, box: Box, colours: Palette) => void>} */
const TRACES = { scatter: lines, scattergl: lines, bar: bars, heatmap: cells, image: picture };

/** Light in three colours, from 0 to 1. @param {CanvasRenderingContext2D} ink @param {any} trace @param {Place} toX @param {Place} toY */
function picture(ink, { z, x0, y0 }, toX, toY) {
	const small = bitmap(z.length, z[0].length, (r, c) => [
		...Array.from(z[r][c], (light) => 255 * light),
		255,
	]);
	const [x, y] = [toX(x0 - 0.5), toY(y0 - 0.5)];
	ink.imageSmoothingEnabled = false;
	ink.drawImage(small, x, y, toX(x0 + z[0].length - 0.5) - x, toY(y0 + z.length - 0.5) - y);
}

/** A canvas of a pixel a cell; null is clear. @param {number} rows @param {number} columns @param {(row: number, column: number) => number[] | null} shade red, green, blue and opacity, to 255 */
function bitmap(rows, columns, shade) {
	const image = new ImageData(Math.max(1, columns), Math.max(1, rows));
	for (let r = 0; r < rows; r += 1) {
		for (let c = 0; c < columns; c += 1) {
			const colour = shade(r, c);
			if (colour) image.data.set(colour, 4 * (r * columns + c));
		}
	}
	const small = Object.assign(document.createElement("canvas"), {
		width: image.width,
		height: image.height,
	});
	/** @type {CanvasRenderingContext2D} */ (small.getContext("2d")).putImageData(image, 0, 0);
	return small;
}

/** With its opacity. @param {string} hex */
const rgba = (hex) => [...rgb(hex), hex.length > 7 ? Number.parseInt(hex.slice(7), 16) : 255];

/** @param {CanvasRenderingContext2D} ink @param {any} trace @param {Place} toX @param {Place} toY */
function lines(ink, { x, y, mode = "lines", line = {}, marker = {} }, toX, toY) {
	const points = Array.from(x, (value, i) => [toX(value), toY(y[i])]);
	const shown = points.map(
		([px, py], i) => y[i] !== null && Number.isFinite(px) && Number.isFinite(py),
	);
	if (mode.includes("lines")) {
		Object.assign(ink, { strokeStyle: line.color, lineWidth: line.width ?? 2, lineJoin: "round" });
		ink.setLineDash(dashes(line.dash));
		ink.beginPath();
		points.forEach(
			([px, py], i) => shown[i] && (shown[i - 1] ? ink.lineTo(px, py) : ink.moveTo(px, py)),
		);
		ink.stroke();
		ink.setLineDash([]);
	}
	if (!mode.includes("markers")) return;
	const each = (/** @type {any} */ of, /** @type {number} */ i) =>
		Array.isArray(of) || ArrayBuffer.isView(of) ? /** @type {any} */ (of)[i] : of;
	ink.globalAlpha *= marker.opacity ?? 1;
	points.forEach(([px, py], i) => {
		if (!shown[i]) return;
		const [colour, half] = [each(marker.color, i), (each(marker.size, i) ?? 6) / 2];
		const edge = each(marker.line?.width, i) ?? 0;
		ink.lineWidth = edge || 1;
		if (marker.symbol === "line-ew-open")
			return segment(ink, px - 1.4 * half, py, px + 1.4 * half, py, colour); // as long as Plotly's
		Object.assign(ink, { fillStyle: colour, strokeStyle: colour });
		ink.beginPath();
		ink.arc(px, py, half, 0, 2 * Math.PI);
		if (marker.symbol === "circle-open") return ink.stroke();
		ink.fill();
		if (!edge) return;
		ink.strokeStyle = each(marker.line.color, i);
		ink.stroke();
	});
}

/** The colour of a number between the ends of a scale. @param {any} scale @param {number} value */
function shade({ colorscale, cmin, cmax }, value) {
	const colour = between(
		colorscale.map((/** @type {[number, string]} */ [, stop]) => rgb(stop)),
		(value - cmin) / (cmax - cmin),
	);
	return `#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** @param {CanvasRenderingContext2D} ink @param {any} trace @param {Place} toX @param {Place} toY */
function bars(
	ink,
	{ x, y, base, width, offset, marker, orientation, text, insidetextfont },
	toX,
	toY,
) {
	const [along, up, toAlong, toUp] = orientation === "h" ? [y, x, toY, toX] : [x, y, toX, toY];
	const step = width ?? 0.8 * (along.length > 1 ? Math.abs(along[1] - along[0]) : 1);
	const each = (/** @type {any} */ of, /** @type {number} */ i) =>
		Array.isArray(of) || ArrayBuffer.isView(of) ? /** @type {any} */ (of)[i] : of;
	Array.from(along, (/** @type {any} */ value, i) => {
		if (up[i] === null) return;
		const from = each(base, i) ?? 0;
		const begin = Number(value) + (each(offset, i) ?? -each(step, i) / 2);
		const [a, b] = [toAlong(begin), toAlong(begin + each(step, i))];
		const [c, d] = [toUp(from), toUp(from + up[i])];
		const colour = marker.colorscale ? shade(marker, marker.color[i]) : each(marker.color, i);
		ink.fillStyle = colour;
		const [left, wide, low, high] = [
			Math.min(a, b),
			Math.abs(b - a),
			Math.min(c, d),
			Math.abs(d - c),
		];
		const area = /** @type {[number, number, number, number]} */ (
			orientation === "h" ? [low, left, high, wide] : [left, low, wide, high]
		);
		ink.fillRect(...area);
		const edge = each(marker.line?.width, i);
		if (edge) {
			Object.assign(ink, { strokeStyle: each(marker.line.color, i), lineWidth: edge });
			ink.strokeRect(...area);
		}
		if (text)
			words(ink, text[i], low + high / 2, left + wide / 2, {
				...insidetextfont,
				color: onColour(rgb(colour)),
				anchor: "center",
				baseline: "middle",
			});
	});
}

/** @param {CanvasRenderingContext2D} ink @param {any} trace @param {Place} toX @param {Place} toY @param {Box} _box @param {Palette} colours */
function cells(
	ink,
	{ x, y, z, zmin, zmax, colorscale, text, texttemplate, textfont, meta },
	toX,
	toY,
	_box,
	colours,
) {
	const [rows, columns] = [z.length, z[0]?.length ?? 0];
	const stops = colorscale.map((/** @type {[number, string]} */ [, colour]) => rgba(colour));
	const shades = Array.from({ length: 1025 }, (_, i) => between(stops, i / 1024));
	const down = toY(1) > toY(0);
	const small = bitmap(rows, columns, (r, c) => {
		const value = z[down ? r : rows - 1 - r][c];
		if (value === null || !Number.isFinite(value)) return null;
		return shades[Math.round(1024 * Math.max(0, Math.min(1, (value - zmin) / (zmax - zmin))))];
	});
	const [xs, ys] = [edges(x, columns).map(toX), edges(y, rows).map(toY)];
	if (meta?.hatched) hatch(ink, masked({ z, meta }), xs, ys, colours.hatch);
	ink.imageSmoothingEnabled = false;
	for (const [top, bottom] of spans(ys)) {
		for (const [left, right] of spans(xs)) {
			const [from, high] = [down ? top : rows - bottom, Math.abs(ys[bottom] - ys[top])];
			ink.drawImage(
				small,
				left,
				from,
				right - left,
				bottom - top,
				xs[left],
				Math.min(ys[top], ys[bottom]),
				xs[right] - xs[left],
				high,
			);
		}
	}
	if (!texttemplate) return;
	for (let r = 0; r < rows; r += 1) {
		for (let c = 0; c < columns; c += 1) {
			const value = z[r][c];
			if (value === null || !Number.isFinite(value)) continue;
			const color = onColour(between(stops, (value - zmin) / (zmax - zmin)));
			const lines = text[r][c].split("<br>");
			lines.forEach((/** @type {string} */ line, /** @type {number} */ i) =>
				words(
					ink,
					line,
					(xs[c] + xs[c + 1]) / 2,
					(ys[r] + ys[r + 1]) / 2 + 1.3 * textfont.size * (i - (lines.length - 1) / 2),
					{ ...textfont, color, anchor: "center", baseline: "middle" },
				),
			);
		}
	}
}

/** Cells of one size side by side: from which edge to which. @param {number[]} at edges, in pixels @returns {[number, number][]} */
function spans(at) {
	const found = /** @type {[number, number][]} */ ([]);
	let start = 0;
	for (let i = 1; i < at.length; i += 1) {
		const same =
			i + 1 < at.length && Math.abs(at[i + 1] - at[i] - (at[start + 1] - at[start])) < 0.02;
		if (same) continue;
		found.push([start, i]);
		start = i;
	}
	return found;
}

/** Masked cells. @param {CanvasRenderingContext2D} ink @param {[number, number, number][]} runs @param {number[]} xs @param {number[]} ys @param {string} colour */
function hatch(ink, runs, xs, ys, colour) {
	const path = new Path2D();
	for (const [row, from, to] of runs)
		path.rect(
			xs[from],
			Math.min(ys[row], ys[row + 1]),
			xs[to] - xs[from],
			Math.abs(ys[row + 1] - ys[row]),
		);
	if (!runs.length) return;
	ink.save();
	ink.clip(path);
	ink.lineWidth = 1;
	const { width, height } = ink.canvas;
	for (let at = -height; at < width; at += 6 * Math.SQRT2)
		segment(ink, at, height, at + height, 0, colour);
	ink.restore();
}

/** @param {[number, number, number][]} stops @param {number} share @returns {[number, number, number]} */
export function between(stops, share) {
	const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
	const low = Math.min(Math.floor(at), stops.length - 2);
	return /** @type {any} */ (
		stops[low].map((value, i) => Math.round(value + (at - low) * (stops[low + 1][i] - value)))
	);
}

const DARK = luminance([68, 68, 68]);

/** Plotly's rule: white or #444, whichever has more contrast. @param {[number, number, number]} colour */
function onColour(colour) {
	const under = luminance(colour) + 0.05;
	return 1.05 / under >= under / (DARK + 0.05) ? "#ffffff" : "#444444";
}

/** @param {CanvasRenderingContext2D} ink @param {any} trace @param {number} left @param {Box} box @param {Palette} colours */
function bar(
	ink,
	{ colorscale, colorbar: { thickness, tickfont }, zmin, zmax },
	left,
	box,
	colours,
) {
	const shade = ink.createLinearGradient(0, box.y + box.height, 0, box.y);
	for (const [at, colour] of colorscale) shade.addColorStop(at, colour);
	ink.fillStyle = shade;
	ink.fillRect(left, box.y, thickness, box.height);
	ink.strokeStyle = colours.ruleStrong;
	ink.strokeRect(left, box.y, thickness, box.height);
	barTicks({ zmin, zmax }).forEach(([, name], i) =>
		words(ink, name, left + thickness + 4, box.y + box.height * (1 - i / 2), {
			...tickfont,
			anchor: "left",
			baseline: "middle",
		}),
	);
}
