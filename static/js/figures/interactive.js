// A figure under the hand: Plotly in the place of the still picture, and what is said at the
// pointer.

import { $, isChord, make, STEPS } from "../common.js";
import { palette } from "../draw/palette.js";
import { announce } from "../status.js";
import { axesOf, panelOf } from "./arrange.js";
import { ticks, unit } from "./axis.js";
import { axisKey } from "./traces.js";
import { withText } from "./fit.js";
import { lines, spoken } from "./hover.js";
import { plotly } from "./plotly.js";
import { choose, pointOf, walk } from "./walk.js";
import { canvasOf, measure } from "./placeholder.js";
import { say } from "../words.js";

/** By Plotly’s own words. */
const dictionary = {
	Zoom: say("Zoom"),
	Pan: say("Pan"),
	"Zoom in": say("Zoom in"),
	"Zoom out": say("Zoom out"),
	Autoscale: say("Autoscale"),
	"Reset axes": say("Reset axes"),
};

const CONFIG = {
	locale: "page",
	locales: { page: { dictionary } },
	displaylogo: false,
	doubleClick: "reset",
	modeBarButtons: [["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "autoScale2d", "resetScale2d"]],
	showTips: false,
};

const DRAG = 4; // px, from which on a pressed pointer that moves is a drag and no click
const DOUBLE = 300; // ms, within which Plotly takes two clicks for one double click

/** Plotly takes the place of the still picture. @param {Staged} staged */
export async function hydrate(staged) {
	const figure = /** @type {Interactive} */ (staged);
	const { stage } = figure;
	document.dispatchEvent(new Event("interactive"));
	figure.card = make("div", { className: "hover-card", hidden: true, role: "tooltip" });
	await plotly().catch(() => null); // without it the still picture stays
	if (!globalThis.Plotly || !stage.isConnected) return;
	figure.plot = make("div", { className: "plot" });
	stage.append(figure.card, figure.plot);
	await draw(figure);
	listen(figure);
	canvasOf(stage).style.visibility = "hidden";
	stage.dataset.interactive = "";
}

/** @param {Interactive} figure */
async function draw(figure) {
	const { data, layout } = figure.arranged;
	figure.card.hidden = true;
	// The same figure at another size stays as it was zoomed.
	const before = figure.drawn === figure.served ? zoomed(figure) : [];
	figure.drawn = figure.served;
	// Plotly writes a zoom into the layout that it is given.
	figure.home = Object.fromEntries(axesOf(figure).map(({ key }) => [key, [...layout[key].range]]));
	const quiet = data.map(({ hovertemplate, ...trace }) => ({
		...trace,
		hoverinfo: trace.hoverinfo === "skip" ? "skip" : "none",
	}));
	const drawn = Plotly.react(figure.plot, quiet, layout, CONFIG);
	figure.redraw = () => draw(figure); // also while Plotly still waits for a hatching's image
	await drawn;
	if (before[0]) await Plotly.relayout(figure.plot, Object.fromEntries(before));
	$(".zoom", figure.plot.closest(".figure")).replaceChildren(
		figure.plot._fullLayout._modeBar.element,
	);
}

/** @param {Interactive} figure */
function listen(figure) {
	const { stage, card, plot } = figure;
	let touched = false;
	let held = false; // a point, by the pointer that is pressed
	let tapped = "";
	let opening = 0;
	let from = [0, 0]; // where the pointer was pressed
	const isDrag = (/** @type {MouseEvent} */ { clientX, clientY }) =>
		Math.hypot(clientX - from[0], clientY - from[1]) > DRAG;
	const hide = () => (card.hidden = true);
	const at = (/** @type {any} */ { points, event }) => {
		const { left, top } = stage.getBoundingClientRect();
		const where = { x: event.clientX - left, y: event.clientY - top };
		const { curveNumber: trace, pointNumber, pointIndex = 0 } = nearest(points, where.y);
		const [row, at] = [0, pointNumber ?? pointIndex].flat().slice(-2);
		Object.assign(figure.cursor, { trace, at, row });
		return where;
	};
	const told = (/** @type {Point} */ where) => {
		const said = showCard(figure, where);
		figure.point?.({ ...figure.cursor });
		return said;
	};
	const step = (/** @type {number[]} */ by) => {
		if (walk(figure, by)) announce(told(pixels(figure)));
	};
	plot.on("plotly_hover", (event) => told(at(event)));
	plot.on("plotly_unhover", hide);
	const open = () => {
		const paints = !zoomed(figure)[0] && figure.served.layout.dragmode;
		const clicked = { ...figure, cursor: { ...figure.cursor } };
		opening = setTimeout(() => stage.isConnected && choose(clicked), paints ? 0 : DOUBLE);
	};
	plot.on("plotly_click", (event) => {
		held = false;
		if (event.event.detail > 1 || isDrag(event.event)) return;
		const where = at(event);
		const now = Object.values(figure.cursor).join(" ");
		// On a touch screen the first tap shows and the second opens.
		if (touched && tapped !== now) told(where);
		else open();
		tapped = now;
	});
	// Plotly drops a click within 50 ms of a move.
	plot.addEventListener("click", (/** @type {any} */ event) => {
		const { detail, target } = event;
		if (held && detail < 2 && target.matches(".nsewdrag") && !isDrag(event)) open();
		held = false;
	});
	plot.on("plotly_relayout", (changes) => relabel(figure, changes));
	const down = (/** @type {PointerEvent} */ { pointerType, clientX, clientY }) => {
		from = [clientX, clientY];
		touched = pointerType === "touch";
		held = !touched && !card.hidden;
		clearTimeout(opening);
	};
	stage.addEventListener("pointerdown", down, { capture: true });
	stage.addEventListener("focus", () => stage.matches(":focus-visible") && step([0, 0]));
	stage.addEventListener("pointerleave", hide);
	stage.addEventListener("blur", () => {
		figure.walking = false;
		hide();
	});
	stage.addEventListener("keydown", (event) => {
		const by = STEPS[event.key];
		if (event.target !== stage || isChord(event)) return;
		if (event.key === "Escape") return void hide(); // and the page goes up, as ever
		if (event.key === "Enter") choose(figure);
		else if (by) step(by);
		else return;
		event.preventDefault();
		event.stopPropagation();
	});
}

/**
 * Of the points at one place of the level axis, the one that is nearest to the pointer.
 * @param {any[]} points @param {number} y
 */
function nearest(points, y) {
	const far = (/** @type {any} */ { yaxis, y: value }) =>
		Math.abs((yaxis?._offset ?? 0) + (yaxis?.d2p?.(value) ?? 0) - y);
	return points.reduce((best, point) => (far(point) < far(best) ? point : best));
}

/** Returns the same, to be spoken. @param {Interactive} figure @param {Point} where */
function showCard(figure, { x, y }) {
	const { stage, card } = figure;
	const { template, point, axes } = pointOf(figure);
	const said = lines(template, point, axes);
	const parts = (/** @type {typeof said[0]} */ line) =>
		line.map(({ text, strong }) => make(strong ? "strong" : "span", { textContent: text }));
	card.replaceChildren(...said.map((line) => make("div", {}, ...parts(line))));
	card.hidden = !said.length;
	// under a finger it lies at the end of the window that is farther away
	card.classList.toggle("top", y + stage.getBoundingClientRect().top > innerHeight / 2);
	const beside = (at = 0, length = 0, most = 0) =>
		`${Math.max(0, at + 14 + length > most ? at - 14 - length : at + 14)}px`;
	card.style.left = beside(x, card.offsetWidth, stage.clientWidth);
	card.style.top = beside(y, card.offsetHeight, stage.clientHeight);
	return spoken(said);
}

/** The place of the point under the cursor, in the stage. @param {Interactive} figure */
function pixels(figure) {
	const { trace, point } = pointOf(figure);
	const full = figure.plot._fullLayout;
	const at = (/** @type {"x" | "y"} */ which) => {
		const axis = full[axisKey(trace, which)];
		return axis._offset + axis.d2p(point[which] ?? 0);
	};
	return { x: at("x"), y: at("y") };
}

/** Whether an axis is as it was before any zoom. @param {Interactive} figure @param {string} key */
const isHome = ({ home, plot }, key) =>
	home[key].every((end, i) => Math.abs(end - plot._fullLayout[key].range[i]) < 1e-9);

/** The axes that are zoomed, each with its range. @param {Interactive} figure */
const zoomed = (figure) =>
	axesOf(figure)
		.filter(({ key }) => !isHome(figure, key))
		.map(({ key }) => [`${key}.range`, [...figure.plot._fullLayout[key].range]]);

/**
 * After a zoom an axis has the ticks of its new range, and its own again after a reset.
 * @param {Interactive} figure @param {Open} changes
 */
async function relabel(figure, changes) {
	const { plot, served, arranged } = figure;
	const chosen = { ...served.layout.meta.chosen, ...figure.chosen };
	const full = plot._fullLayout;
	const next = /** @type {Open} */ ({});
	for (const { key, length, room, axis } of axesOf(figure)) {
		if (!["range[0]", "range", "autorange"].some((part) => `${key}.${part}` in changes)) continue;
		const { range } = full[key];
		// Words over columns are seen where there is room for them; those of the chosen always.
		arranged.layout.annotations.forEach(({ look, text, font, xref }, i) => {
			if (look?.kind === "word" && key === `xaxis${xref.slice(1)}`)
				next[`annotations[${i}].visible`] = text.length * font.size * 0.6 < unit({ range }, length);
		});
		const named = isHome(figure, key) || !arranged.layout[key].ticks;
		next[`${key}.tickmode`] = named ? "array" : "auto";
		if (!named) continue;
		const said = ticks(axis, range, length, room, chosen[key]);
		for (const [name, value] of Object.entries(said)) next[`${key}.${name}`] = value;
	}
	if (!Object.keys(next).length) return;
	const Plotly = await plotly();
	await Plotly.relayout(plot, next);
	// Cells say more where they are larger.
	const space = { size: arranged.size, colours: palette(), measure };
	figure.traces.forEach((trace, i) => {
		if (!trace.z || !trace.text) return;
		const panel = panelOf(arranged.panels, trace);
		const { text, texttemplate, textfont } = withText(trace, panel, full, space, 0);
		Plotly.restyle(plot, { text: [text], texttemplate, ...(textfont && { textfont }) }, [i]);
	});
}
