// The token lines of one head, as SVG: queries on the left, keys on the right, a line for every
// weight that counts, and the chosen query's row as bars.

import { drawnPart, within } from "../common.js";
import { colourOf, palette } from "../draw/palette.js";
import { plain } from "../figures/axis.js";
import { significant } from "../draw/text.js";
import { say } from "../words.js";

const [GAP, STRIP, ROW] = [8, 10, 56];
const WIDE = 0.61; // of the size of a monospaced type is the width of its letters
const MANY = 160; // rows; of a longer text only the chosen query's lines are drawn

/**
 * Where everything stands: rows of both texts, the columns of names, strips and bars.
 * @param {Pick<TokenLines, "queries" | "keys" | "heads">} content @param {number} width
 * @param {number} height @param {number} tick size of the letters @param {number} least at least
 */
export function arrange({ queries, keys, heads }, width, height, tick, least) {
	const top = tick * 2;
	const rows = Math.max(queries.length, keys.length);
	const row = Math.min(ROW, Math.max(least * 1.15, (height - top - GAP) / rows));
	const size = Math.min(tick, row / 1.15);
	const most = Math.max(4, Math.floor((width * 0.2) / (WIDE * size)));
	const short = (/** @type {string} */ name) =>
		name.length > most ? `${name.slice(0, most - 1)}…` : name;
	const [left, right] = [queries, keys].map((names) => names.map((name) => short(plain(name))));
	const widest = (/** @type {string[]} */ names) =>
		WIDE * Math.max(...names.map((name) => name.length * size), say("query").length * tick);
	const strips = width >= 360 && heads.length > 1 ? heads.length * STRIP + tick : 0;
	const barWidth = within(24, 160, width * 0.18);
	const end = width - strips - barWidth - 7 * WIDE * size - 4 - GAP;
	return {
		width,
		top,
		row,
		size,
		strips,
		barWidth,
		queries: left,
		keys: right,
		height: top + rows * row,
		from: widest(left) + GAP,
		to: end - widest(right) - GAP,
		stripsAt: end + GAP,
		bars: end + strips + GAP,
	};
}

/**
 * Which token is at a point: of the queries on the left half, of the keys on the right.
 * @param {LinesLayout} layout @param {number} x @param {number} y
 */
export function tokenAt({ top, row, from, to, queries, keys }, x, y) {
	const index = Math.floor((y - top) / row);
	const side = x < (from + to) / 2 ? "query" : "key";
	return index >= 0 && index < (side === "query" ? queries : keys).length ? { side, index } : null;
}

/**
 * The fewest keys that together hold a share of a query's weight.
 * @param {ArrayLike<number>} before @param {number} share
 */
export const holding = (before, share) =>
	[...Array(before.length).keys()].filter((key) => before[key] < share);

/** @param {TokenLines} shown @param {LinesLayout} layout */
export function drawn(
	{
		pattern,
		before,
		row,
		reach,
		heads,
		signed,
		measure = "score",
		head,
		off,
		query,
		key,
		threshold,
	},
	layout,
) {
	const colours = palette();
	const { tick, ink, inkSoft, fonts } = colours;
	const own = colourOf(colours, off ? "rule-strong" : `head:${head}`);
	const { top, size, from, to, stripsAt, bars, barWidth, width, height } = layout;
	const label = say("The row of query {query}", { query: layout.queries[query] });
	const picture = drawnPart("svg", { width, height, role: "img", "aria-label": label });
	const middle = (/** @type {number} */ i) => top + (i + 0.5) * layout.row;
	const add = (/** @type {string} */ name, /** @type {Open} */ attributes, content = "") =>
		picture.append(drawnPart(name, attributes, content));
	const letters = { dy: "0.35em", "font-family": fonts.mono, "font-size": size, fill: ink };
	/** @param {number} x @param {number} y @param {string} content @param {Open} [more] */
	const write = (x, y, content, more) => add("text", { x, y, ...letters, ...more }, content);
	const small = { "font-family": fonts.sans, "font-size": tick, fill: inkSoft };
	/** @param {number} x @param {string} content @param {Open} [more] */
	const title = (x, content, more) => write(x, top - tick, content, { ...small, ...more });
	/** @param {number} q @param {number} k @param {number} strength */
	const strand = (q, k, strength) => {
		const [value, half] = [Math.abs(pattern[q][k]), (from + to) / 2];
		const d = `M${from} ${middle(q)}C${half} ${middle(q)} ${half} ${middle(k)} ${to} ${middle(k)}`;
		const look = { "stroke-width": 0.75 + 5 * value, opacity: strength * (0.3 + 0.7 * value) };
		add("path", { d, fill: "none", stroke: own, ...look });
	};
	title(from - GAP, say("query"), { "text-anchor": "end" });
	title(to + GAP, say("key"));
	title(bars, signed ? measure : say("weight, 0 to 1"));
	const kept = holding(before[query], threshold);
	layout.queries.forEach((name, q) => {
		if (q !== query && layout.queries.length <= MANY)
			for (const k of holding(before[q], threshold)) strand(q, k, 0.35);
		const bold = { "font-weight": q === query ? 700 : 400 };
		write(from - GAP, middle(q), name, { "text-anchor": "end", ...bold });
	});
	for (const k of kept) strand(query, k, 1);
	if (layout.strips) {
		title(stripsAt, say("heads"));
		heads.forEach((weights, h) =>
			layout.keys.forEach((_, k) => {
				const fill = colourOf(colours, `head:${h}`);
				const side = Math.min(STRIP - 2, layout.row - 2);
				const edge = { stroke: h === head ? fill : colours.rule, "fill-opacity": weights[k] || 0 };
				const place = { x: stripsAt + h * STRIP, y: middle(k) - side / 2 };
				add("rect", { ...place, width: side, height: side, fill, ...edge });
			}),
		);
	}
	const [zero, most] = signed ? [bars + barWidth / 2, barWidth / 2] : [bars, barWidth];
	const high = Math.min(layout.row - 3, size * 1.1);
	layout.keys.forEach((name, k) => {
		write(to + GAP, middle(k), name, {
			fill: kept.includes(k) ? ink : inkSoft,
			"font-weight": k === key ? 700 : 400,
		});
		const [value, y] = [row[k], middle(k) - high / 2];
		const known = Number.isFinite(value);
		const fill = signed ? (value < 0 ? colours.below : colours.above) : own;
		if (known) {
			const length = (value / reach) * most;
			const [x, width] = [Math.min(zero, zero + length), Math.abs(length)];
			add("rect", { class: "bar", x, y, width, height: high, fill });
		} else {
			const d = strokes(bars, y, barWidth, high);
			add("path", { d, stroke: colours.hatch, "stroke-width": 0.75 });
		}
		// A trace of a weight is less, not nothing.
		const exact = signed || !(value > 0);
		const trace = Math.abs(value) < 5e-4;
		const said = exact ? significant(trace ? 0 : value) : trace ? "<0.001" : value.toFixed(3);
		write(layout.width, middle(k), said, {
			"text-anchor": "end",
			fill: known ? ink : inkSoft,
		});
	});
	add("path", { d: `M${zero} ${top}V${height}`, stroke: colours.ruleStrong });
	return picture;
}

/** @param {number} x @param {number} y @param {number} width @param {number} height */
const strokes = (x, y, width, height) =>
	Array.from(
		{ length: Math.floor((width - height) / 7) },
		(_, i) => `M${x + 7 * i} ${y + height}l${height} ${-height}`,
	).join("");
