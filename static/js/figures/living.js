// A figure under the hand: Plotly in the place of the still picture, what is said at the pointer, keys, zoom, pictures to take along.

import { palette } from "../draw/palette.js";
import { plotly } from "./plotly.js";
import { announce } from "../status.js";
import { withChosen } from "./arrange.js";
import { cellName, edges, tileAt } from "./cells.js";
import { lines, spoken } from "./hover.js";
import { canvasOf, figures, measure } from "./show.js";
import "../visit.js";

/** @typedef {import("./show.js").Living} Living */
/** @typedef {Living & {plot: HTMLElement, card: HTMLElement, home: Record<string, any>}} Alive */

const CONFIG = Object.freeze({
	displaylogo: false,
	doubleClick: "reset",
	modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]],
	responsive: false,
	scrollZoom: false,
	showTips: false,
});

/** Plotly takes the place of the still picture. @param {Living} figure */
export async function arrive(figure) {
	const living = /** @type {Alive} */ (figure);
	living.card = cardOf(living.stage);
	await plotly().catch(() => null); // without it the still picture stays
	if (!(/** @type {any} */ (globalThis).Plotly) || !living.stage.isConnected) return;
	living.plot = Object.assign(document.createElement("div"), { className: "plot" });
	living.stage.append(living.plot);
	await draw(living);
	living.redraw = () => {
		living.card.hidden = true;
		draw(living);
	};
	listen(living);
	canvasOf(living.stage).style.visibility = "hidden";
	living.stage.dataset.living = "";
}

/** @param {Alive} living */
async function draw(living) {
	const {
		plot,
		arranged: { data, layout },
	} = living;
	living.home = structuredClone(layout); // Plotly writes a zoom into its own
	const quiet = data.map(({ hovertemplate, ...trace }) => ({
		...trace,
		hoverinfo: trace.hoverinfo === "skip" ? "skip" : "none",
	}));
	await (await plotly()).react(plot, quiet, layout, CONFIG);
}

/** @param {HTMLElement} stage */
function cardOf(stage) {
	const card = Object.assign(document.createElement("div"), {
		className: "hover-card",
		hidden: true,
	});
	card.setAttribute("role", "tooltip");
	stage.append(card);
	return card;
}

/** @param {Alive} living */
function listen(living) {
	const plot = /** @type {any} */ (living.plot);
	plot.on("plotly_hover", (/** @type {any} */ { points, event }) => {
		const where = place(living, event);
		pointAt(living, nearest(points, where));
		tell(living, where);
		living.point?.(placeOf(living));
	});
	plot.on("plotly_unhover", () => (living.card.hidden = true));
	plot.on("plotly_click", (/** @type {any} */ { points, event }) => {
		const where = place(living, event);
		pointAt(living, nearest(points, where));
		if (touched && !again(living)) {
			tell(living, where);
			living.point?.(placeOf(living));
		} else choose(living);
	});
	// On a touch screen the first tap shows and the second opens.
	let touched = false;
	living.stage.addEventListener(
		"pointerdown",
		({ pointerType }) => (touched = pointerType === "touch"),
		{ capture: true },
	);
	living.stage.addEventListener(
		"focus",
		() => living.stage.matches(":focus-visible") && walk(living, [0, 0]),
	);
	plot.on("plotly_relayout", (/** @type {any} */ changes) => relabel(living, changes));
	living.stage.addEventListener("keydown", (event) => key(living, event));
	living.stage.addEventListener("pointerleave", () => (living.card.hidden = true));
	living.stage.addEventListener("blur", () => {
		living.walking = false;
		living.card.hidden = true;
	});
}

/** Of the points at one place of the level axis, the one that is nearest to the pointer. @param {any[]} points @param {{y: number}} where */
function nearest(points, { y }) {
	const far = (/** @type {any} */ point) =>
		Math.abs((point.yaxis?._offset ?? 0) + (point.yaxis?.d2p?.(point.y) ?? 0) - y);
	return points.length === 1
		? points[0]
		: points.reduce((best, point) => (far(point) < far(best) ? point : best));
}

/** The point under the cursor, by its trace and its place in it. @param {Alive} living */
const placeOf = ({ cursor: { trace, at, row } }) => ({ trace, at, row });

/** Whether the point under the cursor is the one that was tapped before. @param {Alive} living */
function again(living) {
	const { trace, at, row } = living.cursor;
	const now = `${trace} ${row} ${at}`;
	const same = living.tapped === now;
	living.tapped = now;
	return same;
}

/** @param {Alive} living @param {any} point */
function pointAt({ cursor }, { curveNumber, pointNumber, pointIndex }) {
	const at = pointNumber ?? pointIndex;
	Object.assign(cursor, {
		trace: curveNumber,
		at: Array.isArray(at) ? at[1] : at,
		row: Array.isArray(at) ? at[0] : 0,
	});
}

/** What the point under the cursor is. @param {Alive} living */
function pointOf({ traces, served, cursor: { trace: number, at, row } }) {
	const trace = traces[number];
	const of = (/** @type {any} */ list) =>
		Array.isArray(list) || ArrayBuffer.isView(list) ? /** @type {any} */ (list)[at] : list;
	const axes = {
		x: served.layout[`xaxis${(trace.xaxis ?? "x").slice(1)}`],
		y: served.layout[`yaxis${(trace.yaxis ?? "y").slice(1)}`],
	};
	const middle = (
		/** @type {any} */ list,
		/** @type {number} */ i,
		/** @type {number} */ count,
	) => {
		const ends = edges(list, count);
		return (ends[i] + ends[i + 1]) / 2;
	};
	const cell = trace.z && {
		x: middle(trace.x, at, trace.z[0].length) + (trace.x0 ?? 0),
		y: middle(trace.y, row, trace.z.length) + (trace.y0 ?? 0),
		z: trace.z[row][at],
		text: trace.text?.[row]?.[at],
		customdata: trace.customdata?.[row]?.[at] ?? cellName(trace.meta, row, at),
	};
	const point = cell ?? {
		x: trace.x[at],
		y: trace.y[at],
		text: of(trace.text),
		customdata: of(trace.customdata),
	};
	return { trace, point, axes };
}

/** Shows the card of the point under the cursor. @param {Alive} living @param {{x: number, y: number}} where @returns {string} the same, to be spoken */
function tell(living, where) {
	const { trace, point, axes } = pointOf(living);
	const said = lines(templateOf(trace, point), point, axes);
	living.card.replaceChildren(
		...said.map((line) => {
			const element = document.createElement("div");
			element.append(
				...line.map(({ text, strong }) =>
					strong ? Object.assign(document.createElement("strong"), { textContent: text }) : text,
				),
			);
			return element;
		}),
	);
	living.card.hidden = !said.length;
	const { clientWidth, clientHeight } = living.stage;
	const { offsetWidth, offsetHeight } = living.card;
	const left = where.x + 14 + offsetWidth > clientWidth ? where.x - 14 - offsetWidth : where.x + 14;
	const top =
		where.y + 14 + offsetHeight > clientHeight ? where.y - 14 - offsetHeight : where.y + 14;
	Object.assign(living.card.style, {
		left: `${Math.max(0, left)}px`,
		top: `${Math.max(0, top)}px`,
	});
	return spoken(said);
}

/** What is said of a point. Small maps name their cells, between them nothing is said; a masked cell has no number. @param {any} trace @param {any} point @returns {string} */
function templateOf({ hovertemplate = "", meta }, { z, customdata }) {
	if (meta?.names && !customdata) return "";
	const named = meta?.names ? `%{customdata}<br>${hovertemplate}` : hovertemplate;
	return z === null || Number.isNaN(z) ? named.replace(/<br>[^]*$/, "<br><b>masked</b>") : named;
}

/** Where the pointer is in the stage. @param {Alive} living @param {MouseEvent} event */
function place({ stage }, event) {
	const { left, top } = stage.getBoundingClientRect();
	return { x: event.clientX - left, y: event.clientY - top };
}

/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {Alive} living @param {KeyboardEvent} event */
function key(living, event) {
	const by = STEPS[event.key];
	if (event.target !== living.stage || event.altKey || event.ctrlKey || event.metaKey) return;
	if (event.key === "Escape") return void (living.card.hidden = true); // and the page goes up, as ever
	if (event.key === "Enter") choose(living);
	else if (by) walk(living, by);
	else return;
	event.preventDefault();
	event.stopPropagation();
}

/** @param {Alive} living @param {[number, number]} by rows or traces, and points */
function walk(living, [down, right]) {
	const { cursor, traces } = living;
	if (!traces.length) return;
	const move = living.walking ? [down, right] : [0, 0];
	living.walking = true;
	const within = (/** @type {number} */ value, /** @type {number} */ count) =>
		Math.max(0, Math.min(count - 1, value));
	const trace = traces[cursor.trace] ?? traces[0];
	if (trace.z) {
		const next = nextCell(trace, cursor, move);
		const stays = next.row === cursor.row && next.at === cursor.at;
		Object.assign(cursor, stays ? beyond(living, move[0]) : next);
	} else {
		cursor.trace = within(cursor.trace + move[0], traces.length);
		cursor.at = within(
			cursor.at + move[1],
			traces[cursor.trace].x?.length ?? traces[cursor.trace].z[0].length,
		);
	}
	announce(tell(living, pixels(living)));
	living.point?.(placeOf(living));
}

/** Beyond the last row of a matrix lies the next matrix of the figure, and before its first row the one before. @param {Alive} living @param {number} down */
function beyond({ cursor, traces }, down) {
	const { z, hoverinfo } = (down && traces[cursor.trace + down]) || {};
	if (!z || hoverinfo === "skip") return {};
	return {
		trace: cursor.trace + down,
		at: Math.min(cursor.at, z[0].length - 1),
		row: down > 0 ? 0 : z.length - 1,
	};
}

/** The next cell that says something; between small maps lie cells that say nothing. @param {any} trace @param {{row: number, at: number}} from @param {number[]} by */
function nextCell({ z, customdata, meta }, from, [down, right]) {
	const between = (/** @type {number} */ row, /** @type {number} */ at) =>
		z[row]?.[at] !== undefined && !tileAt(meta, row, at);
	const silent = (/** @type {number} */ row, /** @type {number} */ at) =>
		meta?.names ? between(row, at) : customdata?.[row]?.[at] === "";
	if (silent(from.row, from.at)) {
		if (meta?.names) return { row: meta.tiles[0][1], at: meta.tiles[0][2] };
		const row = customdata.findIndex((/** @type {string[]} */ cells) => cells.some(Boolean));
		return { row, at: customdata[row].findIndex(Boolean) };
	}
	let { row, at } = from;
	do [row, at] = [row + down, at + right];
	while (silent(row, at) && (down || right));
	return z[row]?.[at] === undefined ? from : { row, at };
}

/** The place of the point under the cursor, in the stage. @param {Alive} living */
function pixels(living) {
	const { trace, point } = pointOf(living);
	const full = /** @type {any} */ (living.plot)._fullLayout;
	const at = (/** @type {"x" | "y"} */ which) => {
		const axis = full[`${which}axis${(trace[`${which}axis`] ?? which).slice(1)}`];
		return axis._offset + axis.d2p(point[which] ?? 0);
	};
	return { x: at("x"), y: at("y") };
}

/** A trace may say what a click on one of its points asks for, one value for each column or for each cell. @param {Alive} living */
function choose({ traces, cursor: { trace, at, row }, pick, enter }) {
	enter?.({ trace, at, row });
	const { meta } = traces[trace] ?? {};
	const { pick: wanted, pick_row: down } = meta ?? {};
	const changes = [
		...Object.entries(tileAt(meta, row, at)?.[4] ?? {}),
		...Object.entries(wanted ?? {}).map(([name, values]) => [
			name,
			Array.isArray(values[0]) ? values[row]?.[at] : values[at],
		]),
		...Object.entries(down ?? {}).map(([name, values]) => [name, values[row]]),
	];
	if (changes.length && changes.every(([, value]) => value !== null))
		pick(Object.fromEntries(changes.map(([name, value]) => [name, String(value)])));
}

/** After a zoom an axis has the ticks of its new range, and its own again after a reset. @param {Alive} living @param {any} changes */
async function relabel({ plot, arranged, home: before, chosen = {} }, changes) {
	const next = /** @type {Record<string, any>} */ ({});
	for (const { x, y, box, rooms, named } of arranged.panels) {
		for (const [key, pixels] of /** @type {[string, number][]} */ ([
			[x, box.width],
			[y, box.height],
		])) {
			const moved =
				changes[`${key}.range[0]`] !== undefined ||
				changes[`${key}.range`] !== undefined ||
				changes[`${key}.autorange`];
			if (!moved) continue;
			const range = /** @type {any} */ (plot)._fullLayout[key].range;
			const own = before[key];
			const home = own.range.every(
				(/** @type {number} */ end, /** @type {number} */ i) => Math.abs(end - range[i]) < 1e-9,
			);
			const names = !own.ticks;
			const unit = pixels / Math.abs(range[1] - range[0]);
			// Words over columns are seen where there is room for them; those of the chosen always.
			arranged.layout.annotations.forEach(
				(/** @type {any} */ { name, text, font, xref }, /** @type {number} */ i) => {
					if (name?.startsWith("word ") && key === `xaxis${xref.slice(1)}`)
						next[`annotations[${i}].visible`] = text.length * font.size * 0.6 < unit;
				},
			);
			if (home)
				Object.assign(next, {
					[`${key}.tickmode`]: "array",
					[`${key}.tickvals`]: own.tickvals,
					[`${key}.ticktext`]: own.ticktext,
				});
			else if (names) {
				const { tickvals, ticktext } = withChosen(
					named[key],
					range,
					pixels,
					rooms[key],
					chosen[key],
				);
				Object.assign(next, { [`${key}.tickvals`]: tickvals, [`${key}.ticktext`]: ticktext });
			} else next[`${key}.tickmode`] = "auto";
		}
	}
	if (Object.keys(next).length) (await plotly()).relayout(plot, next);
}

/**
 * The figure as a picture, with its title above and its provenance below.
 * @param {HTMLElement} stage @param {"svg" | "png"} format @param {string[]} notes
 */
export async function picture(stage, format, notes) {
	const { arranged, served } = /** @type {Living} */ (figures.get(stage));
	const colours = palette();
	const { width, height } = arranged.size;
	const said = notes.flatMap((note) => inLines(note, width - 8, colours.fonts.sans));
	const [above, below] = [28, 8 + 16 * said.length];
	const at = (/** @type {string} */ text, /** @type {number} */ y, /** @type {number} */ size) => ({
		text,
		xref: "paper",
		yref: "paper",
		x: 0,
		y: 1,
		xanchor: "left",
		yanchor: "top",
		xshift: 4,
		yshift: -y,
		showarrow: false,
		font: { family: colours.fonts.sans, size, color: colours.ink },
	});
	const Plotly = await plotly();
	/** @type {Record<string, any>} */ const inner = {
		...arranged.layout,
		width,
		height,
		paper_bgcolor: colours.paper,
	};
	const top = inner.margin.t;
	const layout = {
		...inner,
		height: height + above + below,
		margin: { ...inner.margin, t: top + above, b: below },
		legend: { ...inner.legend, y: 1 - above / (height + above + below) },
		annotations: [
			...inner.annotations,
			at(`<b>${escaped(served.layout.meta?.title ?? "")}</b>`, -top - above + 4, 16),
			...said.map((line, i) => at(escaped(line), height - top + 8 + 16 * i, SMALL)),
		],
	};
	return Plotly.toImage(
		{ data: arranged.data, layout },
		{ format, width, height: layout.height, scale: format === "png" ? 2 : 1 },
	);
}

const SMALL = 11;

/** As Plotly reads what is no markup. @param {string} text */
const escaped = (text) =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** A note in as many lines as its width needs. @param {string} note @param {number} width @param {string} family */
function inLines(note, width, family) {
	const lines = [""];
	for (const part of note.match(/[^ &?]{1,24}[ &?]*|[ &?]+/g) ?? []) {
		const last = lines.length - 1;
		if (measure(lines[last] + part, family, SMALL) > width) lines.push(part);
		else lines[last] += part;
	}
	return lines;
}

/** Every figure whose stage has left the page is let go. */
export function release() {
	for (const [stage, { plot }] of figures) {
		if (stage.isConnected) continue;
		if (plot) /** @type {any} */ (globalThis).Plotly.purge(plot);
		figures.delete(stage);
	}
}
