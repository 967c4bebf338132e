// A figure's numbers as a table: a matrix for a heat map, a column a line or bar for all that share their places,
// and what a trace says of each point where it names those columns.

import { plain } from "./arrange.js";
import { decoded } from "./decode.js";

/** @typedef {import("./arrange.js").Figure} Figure */

/** A masked score is no number. @param {any} value @returns {number | null} */
const known = (value) => (Number.isFinite(value) ? value : null);

/** @param {Figure} figure @returns {import("../draw/table-text.js").Table} */
export function table({ data, layout }) {
	if (layout.meta?.table) return layout.meta.table;
	const all = data.map(decoded).filter(({ meta }) => !meta?.aside && meta?.tabled !== false);
	const traces = all[0]?.z ? all.filter(({ z }) => z) : all;
	const caption = layout.meta?.title ?? "";
	const axisOf = (/** @type {any} */ trace, /** @type {"x" | "y"} */ which) =>
		layout[`${which}axis${(trace[`${which}axis`] ?? which).slice(1)}`] ?? {};
	const title = (/** @type {any} */ axis) => plain(axis.title?.text ?? "");
	const name = (/** @type {any} */ axis, /** @type {number} */ value) => {
		const i = (axis.tickvals ?? []).indexOf(value);
		return i >= 0 && axis.ticktext?.[i] ? plain(axis.ticktext[i]) : value;
	};
	const [first] = traces;
	if (first?.meta?.tiles) {
		const [height, width] = first.meta.size;
		const [x, y] = [axisOf(first, "x"), axisOf(first, "y")];
		if (first.meta.tokens) {
			const rows = first.meta.tiles.map(
				(/** @type {[string, number, number]} */ [tile, top, left]) => [
					plain(tile),
					...first.meta.tokens.map(
						(/** @type {[number, number]} */ [r, c]) => first.z[top + r][left + c],
					),
				],
			);
			return { caption, head: ["", ...first.meta.token_names], rows };
		}
		const rows = first.meta.tiles.flatMap(
			(/** @type {[string, number, number]} */ [tile, top, left]) =>
				Array.from({ length: height }, (_, r) => [
					`${plain(tile)} ${r + 1}`,
					...Array.from(first.z[top + r].slice(left, left + width), (value) => known(value) ?? ""),
				]),
		);
		return {
			caption,
			head: [
				`${title(y)} \\ ${title(x)}`,
				...Array.from({ length: width }, (_, c) => String(c + 1)),
			],
			rows,
		};
	}
	if (first?.z) {
		const [x, y] = [axisOf(first, "x"), axisOf(first, "y")];
		const saidOf = (/** @type {any} */ { text, meta }) =>
			meta?.worded
				? text.map((/** @type {string[]} */ row) =>
						row.map((said) => plain(said.replace("<br>", " "))),
					)
				: meta?.said;
		const rows = traces.flatMap((trace) => {
			const said = saidOf(trace);
			return Array.from(said ?? trace.z, (/** @type {any} */ row, r) => [
				name(y, trace.y?.length === trace.z.length ? trace.y[r] : r),
				...(said ? row : Array.from(row, known)),
			]);
		});
		return {
			caption,
			head: [
				`${title(y)} \\ ${title(x)}`,
				...Array.from(first.z[0] ?? [], (_, c) =>
					String(name(x, first.x?.length === first.z[0].length ? first.x[c] : c)),
				),
			],
			rows,
		};
	}
	if (first?.meta?.columns) {
		const said = (/** @type {string | number} */ cell) =>
			typeof cell === "number" ? cell : plain(cell);
		return {
			caption,
			head: first.meta.columns,
			rows: traces.flatMap(({ customdata }) =>
				customdata.map((/** @type {any[]} */ row) => row.map(said)),
			),
		};
	}
	if (first?.mode === "markers" && first.customdata) {
		const rows = traces.flatMap((trace) =>
			Array.from(trace.x, (x, i) => [plain(trace.customdata[i]), x, trace.y[i]]),
		);
		return { caption, head: ["", title(axisOf(first, "x")), title(axisOf(first, "y"))], rows };
	}
	if (first?.orientation === "h") {
		const [x, y] = [axisOf(first, "x"), axisOf(first, "y")];
		return {
			caption,
			head: [title(y), title(x)],
			rows: traces.flatMap((trace) =>
				Array.from(trace.y, (place, i) => [name(y, place), trace.x[i]]),
			),
		};
	}
	const placesOf = (/** @type {any} */ { x, meta }) =>
		/** @type {(number | string)[]} */ (meta?.rows ?? Array.from(x));
	const places = [...new Set(traces.flatMap(placesOf))];
	const x = axisOf(first ?? {}, "x");
	const at = traces.map(
		(trace) =>
			new Map(placesOf(trace).map((place, i) => [place, (trace.meta?.said ?? trace.y)[i]])),
	);
	return {
		caption,
		head: [
			title(x),
			...traces.map((trace) =>
				plain(trace.meta?.column ?? trace.name ?? title(axisOf(trace, "y"))),
			),
		],
		rows: places.map((place) => [
			name(x, /** @type {number} */ (place)),
			...at.map((of) => pointed(of.get(place))),
		]),
	};
}

/** A line has no point where it has no number. @param {any} value */
const pointed = (value) => known(value) ?? "—";
