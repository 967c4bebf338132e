// Where everything of a figure stands, in pixels. The still picture and Plotly are given the same
// arrangement, so nothing moves when Plotly takes over.

import { plain } from "./axis.js";
import { decoded } from "./traces.js";
import { hatching, strokes, withBar, withText } from "./fit.js";
import { panelIn } from "./panel.js";
import { colourOf, restyled } from "../draw/palette.js";

const CAPTION = 66; // above and under a panel in a row that may wrap
const GAP = 6; // between two names of a legend, across and down
const CLEAR = "rgba(0,0,0,0)";

/** @param {Figure} figure @param {Space} space @returns {Arranged} */
export function arrange(figure, space) {
	const { size, colours } = space;
	const layout = near(figure.layout, size.width, colours.tick);
	const { rows = [[1, 1]], aligned = false } = layout.meta;
	const traces = restyled(figure.data.map(decoded), colours);
	const top = layout.showlegend ? legendHeight(traces, space) : 0;
	const each = inRows(rows, size, top).map((room, i) => {
		const place = i ? String(i + 1) : "";
		const mine = traces.filter(({ xaxis = "x" }) => xaxis === `x${place}`);
		return (least = { left: 0, right: 0 }) => panelIn(layout, place, room, mine, space, least);
	});
	const alone = aligned ? each.map((panel) => panel().least) : [];
	const least = {
		left: Math.max(0, ...alone.map(({ left }) => left)),
		right: Math.max(0, ...alone.map(({ right }) => right)),
	};
	const arranged = each.map((panel) => panel(least));
	const panels = arranged.map(({ panel }) => panel);
	const toX = (x = 0) => x / size.width;
	const toY = (y = 0) => 1 - (y - top) / (size.height - top);
	const data = traces.map((trace) =>
		[strokes, withBar, withText].reduce(
			(one, fit) => fit(one, panelOf(panels, one), layout, space, top),
			trace,
		),
	);
	const domain = (from = 0, to = 1) => [Math.max(0, from), Math.min(1, to)];
	return {
		size,
		panels,
		data,
		layout: {
			paper_bgcolor: CLEAR,
			plot_bgcolor: CLEAR,
			font: { family: colours.fonts.sans, size: colours.tick, color: colours.ink },
			dragmode: layout.dragmode ?? "zoom",
			...hovering(traces, layout),
			images: traces
				.filter(({ meta }) => meta?.hatched)
				.map((trace) => hatching(trace, panelOf(panels, trace), layout, colours)),
			...Object.fromEntries(
				arranged.flatMap(({ panel: { x, y, box }, axes }) => [
					[x, { ...axes[x], domain: domain(toX(box.x), toX(box.x + box.width)) }],
					[y, { ...axes[y], domain: domain(toY(box.y + box.height), toY(box.y)) }],
				]),
			),
			...size,
			margin: { l: 0, r: 0, b: 0, t: top, autoexpand: false },
			showlegend: top > 0,
			legend: {
				orientation: "h",
				y: 1,
				yanchor: "top",
				xref: "container",
				yref: "container",
				tracegroupgap: GAP,
			},
			annotations: arranged.flatMap(({ notes, own }) => [
				...notes.map(({ px: [x, y], ...note }) => ({
					showarrow: false,
					borderpad: 0,
					...note,
					xref: "paper",
					yref: "paper",
					x: toX(x),
					y: toY(y),
				})),
				...own,
			]),
			shapes: (layout.shapes ?? []).map((/** @type {Shape} */ shape) => lined(shape, colours)),
			barmode: "overlay",
		},
	};
}

/** The panel that a trace lies in. @param {Panel[]} panels @param {Trace} trace */
export const panelOf = (panels, { xaxis = "x" }) =>
	panels.find(({ x }) => x === `xaxis${xaxis.slice(1)}`) ?? panels[0];

/**
 * As many columns around `meta.window`, a place and letters, as have room.
 * @param {Layout} layout @param {number} width @param {number} tick
 */
function near(layout, width, tick) {
	if (!layout.meta.window) return layout;
	const [at, letters] = layout.meta.window;
	const most = Math.max(1, Math.floor((width - 5 * tick) / (letters * 0.61 * tick)));
	const axes = Object.fromEntries(
		Object.entries(layout).map(([key, axis]) => {
			if (!key.startsWith("xaxis")) return [key, axis];
			const [low, high] = axis.range;
			const from = Math.max(low, Math.min(at - Math.floor(most / 2) - 0.5, high - most));
			return [key, { ...axis, names: true, range: [from, Math.min(high, from + most)] }];
		}),
	);
	return { ...layout, ...axes };
}

/**
 * Of lines and bars the point beside the pointer answers, however far away it is; of cells and dots
 * the one under it.
 * @param {Trace[]} data @param {Layout} layout
 */
function hovering(data, { hoverdistance }) {
	const upright = data.some(({ type, base }) => type === "bar" && !base);
	if (data.some(({ z, base, mode }) => z || base || (mode === "markers" && !upright)))
		return { hovermode: "closest", ...(hoverdistance && { hoverdistance }) };
	const level = data.some(({ orientation }) => orientation === "h");
	return { hovermode: level ? "y" : "x", hoverdistance: -1 };
}

/** The rooms of panels in rows, under a legend that ends at `top`. @type {InRows} */
function inRows(rows, { width, height }, top) {
	let y = top;
	return rows.flatMap(([count, share, wrap, widths = []]) => {
		const tall = (height - top) * share;
		const across = wrap ? asLarge(count, width, tall) : count;
		const high = tall / Math.ceil(count / across);
		const shares = widths.length ? widths : Array(across).fill(1 / across);
		const boxes = Array.from({ length: count }, (_, i) => ({
			x: width * shares.slice(0, i % across).reduce((sum, part) => sum + part, 0),
			y: y + Math.floor(i / across) * high,
			width: width * shares[i % across],
			height: high,
		}));
		y += tall;
		return boxes;
	});
}

/**
 * How many squares side by side are as large as they can be.
 * @param {number} count @param {number} width @param {number} height
 */
function asLarge(count, width, height) {
	const side = (across = 0) =>
		Math.min(width / across, height / Math.ceil(count / across) - CAPTION);
	return Array.from({ length: count }, (_, i) => i + 1).reduce((best, across) =>
		side(across) > side(best) ? across : best,
	);
}

/** The height that a legend of these traces needs. @param {Trace[]} traces @param {Space} space */
function legendHeight(traces, { size, colours: { fonts, tick }, measure }) {
	const names = new Set(traces.filter(({ showlegend }) => showlegend).map(({ name }) => name));
	let [rows, used] = [1, 0];
	for (const name of names) {
		const wide = measure(plain(name), fonts.sans, tick) + 40 + GAP;
		if (used && used + wide > size.width) [rows, used] = [rows + 1, 0];
		used += wide;
	}
	return names.size > 1 ? rows * (tick * 1.3 + 3 + GAP) : 0;
}

/** A shape in the reader's theme. @param {Shape} shape @param {Palette} colours */
export function lined(shape, colours) {
	const [, part, role] = shape.name?.match(/^(fill|line) (.+)/) ?? [];
	const colour = part && colourOf(colours, role);
	const fillcolor = part === "fill" ? colour : shape.fillcolor;
	const color = part === "line" ? colour : colours.ruleStrong;
	return { ...shape, ...(fillcolor && { fillcolor }), line: { ...shape.line, color } };
}

/**
 * The axes of a figure: their keys, their lengths, the pixels that a name along each needs, and
 * the axes themselves, as much of their names as there is room for.
 * @param {Staged} figure
 */
export const axesOf = ({ arranged: { panels } }) =>
	panels.flatMap(({ x, y, box, rooms, named }) => [
		{ key: x, length: box.width, room: rooms[x], axis: named[x] },
		{ key: y, length: box.height, room: rooms[y], axis: named[y] },
	]);
