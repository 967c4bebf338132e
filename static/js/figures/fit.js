// A trace in its place: its colour bar, what stands in its cells, the length of its strokes, and
// the hatching under it.

import { escaped, plain, unit } from "./axis.js";
import { areasOf } from "./traces.js";

export const THICK = 12;

/**
 * What a colour bar is made of: the trace itself, or the colours of its bars.
 * @param {Trace} trace
 */
export function scaled(trace) {
	const { cmin: zmin, cmax: zmax, ...marker } = trace.marker ?? {};
	if (marker.showscale) return { ...marker, zmin, zmax };
	return trace.type === "heatmap" && trace.showscale !== false ? trace : undefined;
}

/** The ends and the middle of a colour scale. @param {Trace} trace @returns {[number, string][]} */
export const barTicks = ({ zmin, zmax }) =>
	[zmin, (zmin + zmax) / 2, zmax].map((value) => [value, short(value)]);

const short = (value = 0) =>
	`${Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(2))}`.replace("-", "−");

/** A trace with its colour bar at the right of its panel. @type {Fit} */
export function withBar(trace, { box, bar }, _, { size, colours }, top) {
	const scale = scaled(trace);
	if (!scale) return trace;
	const ticks = barTicks(scale);
	const colorbar = {
		thickness: THICK,
		ticklabeloverflow: "allow",
		lenmode: "pixels",
		len: box.height,
		xpad: 0,
		ypad: 0,
		x: bar / size.width,
		y: 1 - (box.y - top) / (size.height - top),
		yanchor: "top",
		outlinecolor: colours.ruleStrong,
		tickvals: ticks.map(([value]) => value),
		ticktext: ticks.map(([, name]) => name),
		tickfont: { family: colours.fonts.sans, size: colours.tick, color: colours.inkSoft },
	};
	return trace.z ? { ...trace, colorbar } : { ...trace, marker: { ...trace.marker, colorbar } };
}

/**
 * Numbers stand whole or not at all; words (`meta.worded`, lines apart by `<br>`) lose their ends.
 * @type {Fit}
 */
export function withText(trace, { box, x, y }, layout, { colours, measure }) {
	const words = trace.meta?.worded;
	const family = colours.fonts[words ? "mono" : "sans"];
	if (!trace.text) return trace;
	if (!trace.z) return { ...trace, insidetextfont: { family, size: colours.tick } };
	const [room, high] = [unit(layout[x], box.width) - 4, unit(layout[y], box.height)];
	const said = /** @type {string[][]} */ (trace.text);
	const inSize = (size = 0) => {
		const rows = words
			? Math.max(Number(high > size * 1.05), Math.floor(high / (size * 1.2)))
			: Number(high >= size);
		const lines = said.map((row) =>
			row.map((cell) => (cell ?? "").split("<br>").slice(0, Math.max(1, rows))),
		);
		const widest = Math.max(...lines.flat(2).map((line) => measure(plain(line), family, size)));
		return { size, rows, lines, fits: rows > 0 && widest <= room };
	};
	const large = words && high > 3.6 * colours.tick ? inSize(colours.text) : null;
	const { size, rows, lines, fits } = large?.fits ? large : inSize(colours.tick);
	const most = fits ? Infinity : Math.floor(room / measure("0", family, size));
	if (!fits && !(words && rows && most >= 2)) return { ...trace, texttemplate: "" };
	const whole = lines.flat().every(([, ...more]) => more.every((line) => letters(line) <= most));
	const inRoom = (line = "") => clipped(line, most);
	const text = lines.map((row) =>
		row.map((cell) => (whole ? cell : cell.slice(0, 1)).map(inRoom).join("<br>")),
	);
	return { ...trace, text, texttemplate: "%{text}", textfont: { family, size } };
}

const letters = (said = "") => [...plain(said)].length;

/** A word that is too long loses its end. @param {string} said @param {number} most letters */
export const clipped = (said, most) =>
	letters(said) <= most ? said : escaped(`${[...plain(said)].slice(0, most - 1).join("")}…`);

/**
 * Strokes as long as their share of a step. Plotly draws this sign 1.4 times its size. @type {Fit}
 */
export function strokes(trace, { box, x }, layout) {
	const { across: share = 0 } = trace.meta ?? {};
	const size = (share * unit(layout[x], box.width)) / 1.4;
	return share ? { ...trace, marker: { ...trace.marker, size } } : trace;
}

/**
 * Hatching under a map, seen where its masked cells leave gaps.
 * @param {Trace} trace @param {Panel} panel @param {Layout} layout @param {Palette} colours
 */
export function hatching(trace, { box, x, y }, layout, { hatch }) {
	const [across, down] = [unit(layout[x], box.width), unit(layout[y], box.height)];
	const { areas, whole } = areasOf(trace);
	const [left, right, top, bottom] = whole;
	const path = areas.map(([x0, x1, y0, y1]) => {
		const [from, to] = [(x0 - left) * across, (x1 - left) * across];
		return `M${from} ${(y0 - top) * down}H${to}V${(y1 - top) * down}H${from}z`;
	});
	const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${(right - left) * across}" height="${(bottom - top) * down}" preserveAspectRatio="none"><pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" stroke="${hatch}"/></pattern><path d="${path.join("")}" fill="url(#h)"/></svg>`;
	return {
		source: `data:image/svg+xml,${encodeURIComponent(markup)}`,
		xref: trace.xaxis ?? "x",
		yref: trace.yaxis ?? "y",
		x: left,
		y: top,
		sizex: right - left,
		sizey: bottom - top,
		sizing: "stretch",
		layer: "below",
	};
}
