// A figure's numbers as a table: a matrix for a heat map, a column a line or bar for all that share
// their places, and what a trace says of each point where it names those columns.

import { nameAt, plain } from "./axis.js";
import { axisKey, decoded } from "./traces.js";

/** A masked score is no number. @param {any} value @returns {number | null} */
const known = (value) => (Number.isFinite(value) ? value : null);

/** What is shown, as a table. @param {Shown} what @returns {Table | Promise<Table>} */
export function tableOf({ table: own, plotly }) {
	if (plotly) return table(plotly);
	return typeof own === "function" ? own() : /** @type {Table} */ (own);
}

/** @param {Figure} figure @returns {Table} */
export function table({ data, layout }) {
	const { meta = {} } = layout;
	const all = data.map(decoded).filter(({ meta }) => meta?.tabled !== false);
	const traces = all[0]?.z ? all.filter(({ z }) => z) : all;
	return meta.table ?? { caption: meta.title ?? "", ...content(traces, layout) };
}

/** @param {Trace[]} traces @param {Layout} layout @returns {Omit<Table, "caption">} */
function content(traces, layout) {
	const [first = {}] = traces;
	const axisOf = (/** @type {Trace} */ trace, /** @type {"x" | "y"} */ which) =>
		layout[axisKey(trace, which)] ?? {};
	const [x, y] = [axisOf(first, "x"), axisOf(first, "y")];
	const title = (/** @type {any} */ axis) => plain(axis.title?.text ?? "");
	const said = (/** @type {any} */ cell) => (typeof cell === "number" ? cell : plain(cell));
	const name = (/** @type {any} */ axis, /** @type {any} */ value) => said(nameAt(axis, value));
	const { tiles, tokens, token_names = [], size = [0, 0], columns } = first.meta ?? {};
	const corner = `${title(y)} \\ ${title(x)}`;
	if (tiles && tokens)
		return {
			head: ["", ...token_names],
			rows: tiles.map(([tile, top, left]) => [
				plain(tile),
				...tokens.map(([r, c]) => first.z[top + r][left + c]),
			]),
		};
	if (tiles) {
		const [rows, columns] = size.map((count) => [...Array(count).keys()]);
		return {
			head: [corner, ...columns.map((c) => `${c + 1}`)],
			rows: tiles.flatMap(([tile, top, left]) =>
				rows.map((r) => [
					`${plain(tile)} ${r + 1}`,
					...columns.map((c) => known(first.z[top + r][left + c]) ?? ""),
				]),
			),
		};
	}
	if (first.z) {
		const at = (/** @type {any[]} */ places, i = 0, count = 0) =>
			places?.length === count ? places[i] : i;
		const row = (/** @type {Trace} */ { z, y: places, text, meta }, r = 0) => {
			const words = meta?.worded && text[r].map((said = "") => plain(said.replace("<br>", " ")));
			return [
				name(y, at(places, r, z.length)),
				...(words || (meta?.said?.[r] ?? Array.from(z[r], known))),
			];
		};
		const across = first.z[0] ?? [];
		return {
			head: [corner, ...Array.from(across, (_, c) => `${name(x, at(first.x, c, across.length))}`)],
			rows: traces.flatMap((trace) => Array.from(trace.z, (_, r) => row(trace, r))),
		};
	}
	const points = (/** @type {(trace: Trace, i: number) => any[]} */ row) =>
		traces.flatMap((trace) => Array.from(trace.customdata ?? trace.y, (_, i) => row(trace, i)));
	if (columns)
		return { head: columns, rows: points(({ customdata }, i) => customdata[i].map(said)) };
	if (first.mode === "markers" && first.customdata)
		return {
			head: ["", title(x), title(y)],
			rows: points(({ x, y, customdata }, i) => [plain(customdata[i]), x[i], y[i]]),
		};
	if (first.orientation === "h")
		return {
			head: [title(y), title(x)],
			rows: points((trace, i) => [name(y, trace.y[i]), trace.x[i]]),
		};
	/** @type {(trace: Trace) => any[]} */
	const placesOf = ({ x, meta }) => meta?.centers ?? meta?.rows ?? Array.from(x);
	const at = traces.map(
		(trace) =>
			new Map(placesOf(trace).map((place, i) => [place, (trace.meta?.said ?? trace.y)[i]])),
	);
	return {
		head: [
			title(x),
			...traces.map((trace) =>
				plain(trace.meta?.column ?? trace.name ?? title(axisOf(trace, "y"))),
			),
		],
		// A line has no point where it has no number.
		rows: [...new Set(traces.flatMap(placesOf))].map((place) => [
			name(x, place),
			...at.map((of) => known(of.get(place)) ?? "—"),
		]),
	};
}
