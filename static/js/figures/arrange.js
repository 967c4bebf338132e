// Where everything of a figure stands, in pixels. The still picture and Plotly are given the same
// arrangement, so nothing moves when Plotly takes over.

import { edges, masked } from "./cells.js";
import { decoded } from "./decode.js";
import { colourOf, restyled } from "./roles.js";

/** @typedef {import("../draw/palette.js").Palette} Palette */
/** @typedef {{data: any[], layout: Record<string, any>}} Figure as the API serves it */
/** @typedef {{x: number, y: number, width: number, height: number}} Box */
/**
 * @typedef {object} Panel one pair of axes
 * @property {string} x the key of the level axis in the layout, for instance "xaxis2" @property {string} y
 * @property {Box} box the area between the axes @property {number} bar where a colour bar begins
 * @property {Record<string, number>} rooms by axis, the pixels that a name along it needs @property {Record<string, any>} named by axis, what is named where along it
 */
/** @typedef {Figure & {panels: Panel[], size: {width: number, height: number}, bare?: any[]}} Arranged `bare`: its own shapes, without marks */
/** @typedef {(content: string, family: string, size: number) => number} Measure the width of a text */
/** @typedef {{size: {width: number, height: number}, colours: Palette, measure: Measure}} Space */

const EDGE = 8;
const TICK = 4; // length of a tick
const BAR = 12; // thickness of a colour bar
const CAPTION = 66; // above and under a panel in a row that may wrap
const SERVED = 13; // pixels of the type for which a figure as it is served states its shifts
const LEGEND_GAP = 6; // between two names of a legend, across and down
const MOST_LABEL = 0.3; // of the figure's height may be names over a matrix
const MOST_BESIDE = 0.36; // of its width may be names beside it
const MOST_SUMS = 0.18; // of its width may be sums of rows; the numbers in the cells go before

/** Labels as they are seen, without Plotly's escapes. @param {unknown} label */
export const plain = (label) =>
	String(label).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** @param {Figure} figure @param {Space} space @returns {Arranged} */
export function arrange(figure, { size, colours, measure }) {
	const layout = near(figure.layout, size.width, colours);
	const {
		panels: count = 1,
		across = false,
		legend: told,
		rows,
		aligned = false,
	} = layout.meta ?? {};
	const data = restyled(figure.data.map(decoded), colours);
	const names = data.filter((trace) => trace.showlegend).map((trace) => trace.name);
	const groups = layout.meta?.layers ?? [];
	const legend =
		(told ?? layout.showlegend) ? legendHeight(names, size.width, colours, measure) : 0;
	const top = legend;
	const rooms = inRows(
		rows ?? (across ? [[count, 1]] : Array.from({ length: count }, () => [1, 1 / count])),
		{ ...size, top },
	);
	const notes = /** @type {any[]} */ ([]);
	const axes = /** @type {Record<string, any>} */ ({});
	const each = Array.from({ length: count }, (_, i) => {
		const place = i ? String(i + 1) : "";
		const mine = data.filter((trace) => (trace.xaxis ?? "x") === `x${place}`);
		const own = (layout.annotations ?? []).filter(
			(/** @type {any} */ note) => note.xref === `x${place}`,
		);
		return (/** @type {{left: number, right: number}} */ least) =>
			arrangePanel(layout, place, rooms[i], mine, own, groups, { colours, measure, least });
	});
	const none = { left: 0, right: 0 };
	const alone = aligned ? each.map((panel) => panel(none)) : [];
	const least = {
		left: Math.max(0, ...alone.map(({ left }) => left)),
		right: Math.max(0, ...alone.map(({ right }) => right)),
	};
	const panels = each.map((arranged) => {
		const panel = arranged(least);
		const paper = toPaper(size, top);
		const { box } = panel;
		axes[panel.x] = {
			...panel.xaxis,
			domain: [box.x / size.width, (box.x + box.width) / size.width],
		};
		const [low, high] = [paper.y(box.y + box.height), paper.y(box.y)];
		axes[panel.y] = { ...panel.yaxis, domain: [clip(low), clip(high)] };
		notes.push(...panel.notes.map((note) => placed(note, paper)), ...panel.own);
		return {
			x: panel.x,
			y: panel.y,
			box,
			bar: box.x + box.width + panel.beyond + 10,
			rooms: panel.rooms,
			named: panel.named,
		};
	});
	return {
		size,
		panels,
		data: data.map((trace) =>
			withText(
				withBar(spread(trace, panels, layout), panels, size, top, colours),
				panels,
				layout,
				colours,
				measure,
			),
		),
		layout: {
			...base(colours),
			...hovering(data),
			...(layout.dragmode && { dragmode: layout.dragmode }),
			images: data.flatMap((trace) => hatching(trace, panelOf(trace, panels), layout, colours)),
			...axes,
			width: size.width,
			height: size.height,
			margin: { l: 0, r: 0, b: 0, t: top, pad: 0, autoexpand: false },
			showlegend: legend > 0,
			legend: legendLayout(colours),
			annotations: notes,
			shapes: (layout.shapes ?? []).map((/** @type {any} */ shape) => lined(shape, colours)),
			meta: layout.meta,
			barmode: layout.barmode ?? "overlay",
			bargap: layout.bargap ?? 0.2,
		},
	};
}

/** As many columns around `meta.window`, a place and letters, as have room. @param {Record<string, any>} layout @param {number} width @param {Palette} colours */
function near(layout, width, { tick }) {
	if (!layout.meta?.window) return layout;
	const [at, letters] = layout.meta.window;
	const most = Math.max(1, Math.floor((width - 5 * tick) / (letters * 0.61 * tick)));
	return Object.fromEntries(
		Object.entries(layout).map(([key, axis]) => {
			if (!key.startsWith("xaxis")) return [key, axis];
			const [low, high] = axis.range;
			const from = Math.max(low, Math.min(at - Math.floor(most / 2) - 0.5, high - most));
			return [key, { ...axis, names: true, range: [from, Math.min(high, from + most)] }];
		}),
	);
}

/** Of lines and bars the point beside the pointer answers, however far away it is; of cells and dots the one under it. @param {any[]} data */
function hovering(data) {
	const upright = data.some((trace) => trace.type === "bar" && !trace.base);
	if (data.some((trace) => trace.z || trace.base || (trace.mode === "markers" && !upright)))
		return { hovermode: "closest" };
	return {
		hovermode: data.some((trace) => trace.orientation === "h") ? "y" : "x",
		hoverdistance: -1,
	};
}

/**
 * The rooms of panels in rows: how many side by side, their share of the height, and whether they may stand in several lines.
 * @param {[number, number, boolean?, number[]?][]} rows @param {{width: number, height: number, top: number}} size @returns {Box[]}
 */
function inRows(rows, { width, height, top }) {
	let y = top;
	return rows.flatMap(([count, share, wrap, widths]) => {
		const tall = (height - top) * share;
		const across = wrap ? asLarge(count, width, tall) : count;
		const down = Math.ceil(count / across);
		const from = (/** @type {number} */ i) =>
			/** @type {number[]} */ (widths).slice(0, i).reduce((sum, part) => sum + part * width, 0);
		const boxes = Array.from({ length: count }, (_, i) =>
			widths?.length
				? { x: from(i), y, width: widths[i] * width, height: tall }
				: {
						x: ((i % across) * width) / across,
						y: y + (Math.floor(i / across) * tall) / down,
						width: width / across,
						height: tall / down,
					},
		);
		y += tall;
		return boxes;
	});
}

/** How many squares side by side are as large as they can be. @param {number} count @param {number} width @param {number} height */
function asLarge(count, width, height) {
	const side = (/** @type {number} */ across) =>
		Math.min(width / across, height / Math.ceil(count / across) - CAPTION);
	return Array.from({ length: count }, (_, i) => i + 1).reduce((best, across) =>
		side(across) > side(best) ? across : best,
	);
}

/** @param {number} value */
const clip = (value) => Math.max(0, Math.min(1, value));

/** What all figures share. @param {Palette} colours */
const base = (colours) => ({
	paper_bgcolor: "rgba(0,0,0,0)",
	plot_bgcolor: "rgba(0,0,0,0)",
	font: { family: colours.fonts.sans, size: colours.tick, color: colours.ink },
	dragmode: "zoom",
	modebar: {
		bgcolor: "rgba(0,0,0,0)",
		color: colours.ruleStrong,
		activecolor: colours.ink,
		orientation: "h",
	},
});

/** @param {Palette} colours */
const legendLayout = (colours) => ({
	orientation: "h",
	x: 0,
	y: 1,
	xref: "container",
	yref: "container",
	xanchor: "left",
	yanchor: "top",
	bgcolor: "rgba(0,0,0,0)",
	font: { family: colours.fonts.mono, size: colours.tick, color: colours.ink },
	tracegroupgap: LEGEND_GAP,
	itemclick: "toggle",
	itemdoubleclick: "toggleothers",
});

/** The rows that a legend of these names needs, in pixels. @param {string[]} names @param {number} width @param {Palette} colours @param {Measure} measure */
function legendHeight(names, width, colours, measure) {
	const widths = [...new Set(names)].map(
		(name) => measure(plain(name), colours.fonts.mono, colours.tick) + 40 + LEGEND_GAP,
	);
	let rows = 1;
	let used = 0;
	for (const wide of widths) {
		if (used && used + wide > width) [rows, used] = [rows + 1, 0];
		used += wide;
	}
	return widths.length > 1 ? rows * (colours.tick * 1.3 + 3 + LEGEND_GAP) : 0;
}

/** Pixels of the figure as Plotly's shares of the paper. @param {{width: number, height: number}} size @param {number} top */
const toPaper = ({ width, height }, top) => ({
	x: (/** @type {number} */ x) => x / width,
	y: (/** @type {number} */ y) => 1 - (y - top) / (height - top),
});

/** A note that was placed in pixels. @param {any} note @param {ReturnType<typeof toPaper>} paper */
const placed = ({ px, ...note }, paper) => ({
	showarrow: false,
	borderpad: 0,
	...note,
	xref: "paper",
	yref: "paper",
	x: paper.x(px[0]),
	y: paper.y(px[1]),
});

/**
 * @param {Record<string, any>} layout @param {string} place @param {Box} outer @param {any[]} traces
 * @param {any[]} own notes within the panel @param {{name: string, short: string, from: number, to: number}[]} groups of names on the level axis @param {Omit<Space, "size"> & {least: {left: number, right: number}}} space
 */
function arrangePanel(layout, place, outer, traces, own, groups, { colours, measure, least }) {
	const size = colours.tick;
	const { mono, serif } = colours.fonts;
	const [x, y] = [`xaxis${place}`, `yaxis${place}`];
	const captioned = Boolean(layout.meta?.captioned); // the page says what the axes are
	const level = layout[x];
	const wide = (/** @type {string} */ name) => measure(plain(name), mono, size);
	const names = (/** @type {any} */ axis) => /** @type {string[]} */ (axis.ticktext ?? []);
	const letters = Math.floor((outer.width * MOST_BESIDE) / wide("0"));
	const upright = {
		...layout[y],
		ticktext: names(layout[y]).map((name) => clipped(name, letters)),
	};
	const above = level.side === "top";
	const bar = traces.map(scaled).find(Boolean);
	const ends = own.filter(isEnd);
	const bare = upright.showline === false && !names(upright).length;
	const left = bare
		? 1
		: Math.max(
				least.left,
				Math.min(outer.width * MOST_BESIDE, Math.max(0, ...names(upright).map(wide))) + TICK + 8,
			);
	const endWidth = Math.max(0, ...ends.map((note) => wide(note.text)));
	const sums = own.filter((note) => note.name?.startsWith("sum "));
	const summed = sums.length ? Math.max(...sums.map((note) => wide(note.text))) + 14 : 0;
	const beyond = summed < outer.width * MOST_SUMS ? summed : 0;
	const right = Math.max(
		least.right,
		bar ? beyond + barWidth(bar, wide) : endWidth ? endWidth + 14 : beyond + EDGE * 2,
	);
	const most = Math.max(40, outer.width - left - right);
	const step = most / Math.max(1, Math.abs(level.range[1] - level.range[0]));
	const isNamed = ofNames(level);
	const widest = Math.max(0, ...names(level).map(wide));
	const gap = captioned ? 4 : 8; // between two names
	const isWords = names(level).some((name) => Number.isNaN(Number(name))); // of numbers some are enough
	const turned = isNamed && isWords && widest + gap > step;
	const beside = turned && above ? wide(names(level).at(-1) ?? "") * 0.72 + size - step / 2 : 0; // a turned name goes on beyond its column
	const width = Math.max(40, Math.min(most, outer.width - left - beside));
	const room = !level.tickvals?.length
		? 0
		: turned
			? Math.min(widest, outer.height * MOST_LABEL) * 0.72 + size
			: size * 1.4;
	const titleLine = size * 1.6;
	const mine = isNamed ? groups : [];
	const titled = (/** @type {any} */ { title }) => measure(plain(title?.text ?? ""), serif, size);
	const across = Math.max(left, titled(upright) + size); // a title across stands beside the other where there is room
	const second =
		upright.showline !== false &&
		across + titled(level) + titled(bar?.colorbar ?? {}) + size > outer.width;
	const over = captioned
		? above
			? room + (mine.length ? titleLine : 0) + (room ? 4 : EDGE)
			: size * 0.6
		: titleLine + (above ? room + (room && second ? titleLine : 4) : size * 0.4);
	const under = above
		? EDGE
		: (turned ? room : size * 1.5) + TICK + titleLine + (bare ? size * 0.6 : 0);
	const height = Math.max(40, outer.height - over - under);
	const lean =
		turned && !above ? Math.max(0, wide(names(level)[0]) * 0.72 + size * 0.3 - left - step / 2) : 0; // the first name reaches beyond the axis
	const area = { width: width - lean, height };
	const box = {
		x: outer.x + left + lean,
		y: outer.y + over,
		...(upright.scaleanchor ? even(level, upright, area.width, height) : area),
	};
	const title = { family: serif, size, color: colours.inkSoft };
	const lowest = box.y + box.height + under - titleLine / 2;
	const unit = box.width / Math.abs(level.range[1] - level.range[0]);
	const notes = [
		...(captioned
			? []
			: noteOf(upright, {
					px: [outer.x, outer.y + titleLine / 2],
					xanchor: "left",
					yanchor: "middle",
					font: title,
				})),
		...(captioned
			? []
			: noteOf(
					level,
					above
						? {
								px: room
									? second
										? [box.x, outer.y + titleLine * 1.5]
										: [outer.x + across, outer.y + titleLine / 2]
									: [outer.x + wide(upright.title?.text ?? "") + size, outer.y + titleLine / 2],
								xanchor: "left",
								yanchor: "middle",
								font: title,
							}
						: mine.length
							? { px: [outer.x, lowest], xanchor: "left", yanchor: "middle", font: title }
							: {
									px: [box.x + box.width, lowest],
									xanchor: "right",
									yanchor: "middle",
									font: title,
								},
				)),
		...mine.map(({ name, short: few, from, to }) => ({
			text: wide(name) < (to - from + 1) * unit ? name : few,
			px: [
				box.x + ((from + to) / 2 - level.range[0]) * unit,
				above ? box.y - room - titleLine / 2 : lowest,
			],
			xanchor: "center",
			yanchor: "middle",
			font: { family: mono, size, color: colours.inkSoft },
		})),
		...(bar?.colorbar?.title?.text
			? [
					{
						text: bar.colorbar.title.text,
						yanchor: "middle",
						font: title,
						...(captioned && !room
							? {
									px: [box.x + box.width + beyond + BAR + 14, box.y + box.height / 4],
									xanchor: "left",
								}
							: {
									px: [
										box.x + box.width + right - 2,
										outer.y + (captioned ? size * 0.5 : titleLine / 2),
									],
									xanchor: "right",
								}),
					},
				]
			: []),
	];
	const font = { family: mono, size, color: above ? colours.ink : colours.inkSoft };
	const rooms = {
		[x]: turned ? size * 1.2 : widest + gap,
		[y]:
			(captioned || ofNames(upright)) && box.height >= size * 0.95 * names(upright).length
				? size * 0.95
				: size * 1.25,
	};
	return {
		x,
		y,
		box,
		notes,
		left,
		right,
		rooms,
		named: { [x]: level, [y]: upright },
		beyond,
		own: apart(
			fitting(
				crowded(own, upright, box, captioned ? size * 0.9 : size, beyond > 0),
				level,
				box,
				wide,
			),
			upright,
			box,
			size,
		)
			.map((note) => fitted(note, unit, wide))
			.map((note) => restyledNote(note, colours)),
		xaxis: axis(level, box.width, { font, colours, size: rooms[x], turned }),
		yaxis: axis(upright, box.height, {
			font,
			colours,
			size: rooms[y],
			framed: above && [level, upright].every(ofNames),
		}),
	};
}

/** The largest area in which a unit is as long across as it is up. @param {any} level @param {any} upright @param {number} width @param {number} height */
function even(level, upright, width, height) {
	const [across, up] = [level, upright].map(({ range }) => Math.abs(range[1] - range[0]));
	const unit = Math.min(width / across, height / up);
	return { width: unit * across, height: unit * up };
}

/** @param {any} bar @param {(text: string) => number} wide */
const barWidth = (bar, wide) =>
	BAR + 12 + Math.max(...barTicks(bar).map(([, name]) => wide(name))) + EDGE;

/** What a colour bar is made of: the trace itself, or the colours of its bars. @param {any} trace */
export function scaled(trace) {
	const { cmin: zmin, cmax: zmax, ...marker } = trace.marker ?? {};
	if (marker.showscale) return { ...marker, zmin, zmax };
	return trace.type === "heatmap" && trace.showscale !== false ? trace : undefined;
}

/** The ends and the middle of a colour scale. @param {any} trace @returns {[number, string][]} */
export const barTicks = ({ zmin, zmax }) =>
	[zmin, (zmin + zmax) / 2, zmax].map((value) => [value, short(value)]);

/** @param {number} value */
const short = (value) =>
	(Math.abs(value) >= 100 || Number.isInteger(value)
		? String(Math.round(value))
		: String(Number(value.toPrecision(2)))
	).replace("-", "−");

/** The colour bar stands at the right of its panel. @param {any} trace @param {Panel[]} panels @param {{width: number, height: number}} size @param {number} top @param {Palette} colours */
function withBar(trace, panels, size, top, colours) {
	const scale = scaled(trace);
	if (!scale) return trace;
	const { box, bar } = panelOf(trace, panels);
	const ticks = barTicks(scale);
	const colorbar = {
		thickness: BAR,
		thicknessmode: "pixels",
		ticklabeloverflow: "allow",
		lenmode: "pixels",
		len: box.height,
		xpad: 0,
		ypad: 0,
		x: bar / size.width,
		xanchor: "left",
		y: toPaper(size, top).y(box.y),
		yanchor: "top",
		outlinecolor: colours.ruleStrong,
		outlinewidth: 1,
		tickvals: ticks.map(([value]) => value),
		ticktext: ticks.map(([, name]) => name),
		ticks: "",
		tickfont: { family: colours.fonts.mono, size: colours.tick, color: colours.inkSoft },
	};
	return trace.type === "heatmap"
		? { ...trace, colorbar }
		: { ...trace, marker: { ...trace.marker, colorbar } };
}

/** Strokes as long as their share of a step. Plotly draws this sign 1.4 times its size. @param {any} trace @param {Panel[]} panels @param {Record<string, any>} layout */
function spread(trace, panels, layout) {
	if (!trace.meta?.across) return trace;
	const { box, x } = panelOf(trace, panels);
	const [low, high] = layout[x].range;
	return {
		...trace,
		marker: { ...trace.marker, size: (trace.meta.across * box.width) / (high - low) / 1.4 },
	};
}

/** The numbers of the cells, where there is room for them. @param {any} trace @param {Panel[]} panels @param {Record<string, any>} layout @param {Palette} colours @param {Measure} measure */
function withText(trace, panels, layout, colours, measure) {
	if (!trace.text) return trace;
	if (!trace.z)
		return { ...trace, insidetextfont: { family: colours.fonts.mono, size: colours.tick } };
	const { box, x, y } = panelOf(trace, panels);
	const { mono: family } = colours.fonts;
	const step = (/** @type {any} */ axis, /** @type {number} */ pixels) =>
		pixels / Math.abs(axis.range[1] - axis.range[0]);
	const words =
		trace.meta?.worded ||
		trace.text.some((/** @type {string[]} */ row) => row.some((said) => said?.includes("<br>")));
	const [room, high] = [step(layout[x], box.width) - 4, step(layout[y], box.height)];
	const inSize = (/** @type {number} */ size) => {
		const rows = words
			? Math.max(Number(high > size * 1.05), Math.floor(high / (size * 1.2)))
			: Number(high >= size);
		const lines = trace.text.map((/** @type {string[]} */ row) =>
			row.map((said) => (said ?? "").split("<br>").slice(0, Math.max(1, rows))),
		);
		const widest = Math.max(
			...lines.flat(2).map((/** @type {string} */ said) => measure(plain(said), family, size)),
		);
		return { size, rows, lines, fits: rows > 0 && widest <= room };
	};
	const large = words && high > 3.6 * colours.tick ? inSize(colours.text) : null;
	const { size, rows, lines, fits } = large?.fits ? large : inSize(colours.tick);
	const most = fits ? Infinity : Math.floor(room / measure("0", family, size));
	if (!fits && !(words && rows && most >= 2)) return { ...trace, texttemplate: "" };
	const whole = lines.every((/** @type {string[][]} */ row) =>
		row.every(([, ...more]) => more.every((line) => plain(line).length <= most)),
	);
	const text = lines.map((/** @type {string[][]} */ row) =>
		row.map((said) =>
			(whole ? said : said.slice(0, 1)).map((line) => clipped(line, most)).join("<br>"),
		),
	);
	return { ...trace, text, texttemplate: "%{text}", textfont: { family, size } };
}

/** A word that is too long loses its end. @param {string} said as Plotly reads it @param {number} most letters */
function clipped(said, most) {
	const letters = [...plain(said)];
	if (letters.length <= most) return said;
	return `${letters.slice(0, most - 1).join("")}…`
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;");
}

/** The panel that a trace lies in. @param {any} trace @param {Panel[]} panels */
const panelOf = (trace, panels) =>
	panels.find(({ x }) => x === `xaxis${(trace.xaxis ?? "x").slice(1)}`) ?? panels[0];

/** Masked cells, hatched under the gaps that they leave. @param {any} trace @param {Panel} panel @param {Record<string, any>} layout @param {Palette} colours */
function hatching(trace, { box, x, y }, layout, colours) {
	const runs = trace.meta?.hatched ? masked(trace) : [];
	if (!runs.length) return [];
	const [xs, ys] = [edges(trace.x, trace.z[0].length), edges(trace.y, trace.z.length)];
	const unit = (/** @type {string} */ key, /** @type {number} */ pixels) =>
		pixels / Math.abs(layout[key].range[1] - layout[key].range[0]);
	const [across, down] = [unit(x, box.width), unit(y, box.height)];
	const place = (/** @type {number} */ at) => Math.round(at * 100) / 100;
	const cells = runs
		.map(([row, from, to]) => {
			const wide = place((xs[to] - xs[from]) * across);
			return `M${place((xs[from] - xs[0]) * across)} ${place((ys[row] - ys[0]) * down)}h${wide}v${place((ys[row + 1] - ys[row]) * down)}h${-wide}z`;
		})
		.join("");
	const [wide, high] = [xs[xs.length - 1] - xs[0], ys[ys.length - 1] - ys[0]];
	const markup = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide * across}" height="${high * down}" preserveAspectRatio="none"><defs><pattern id="h" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V6" stroke="${colours.hatch}" stroke-width="1"/></pattern></defs><path d="${cells}" fill="url(#h)"/></svg>`;
	return [
		{
			source: `data:image/svg+xml,${encodeURIComponent(markup)}`,
			xref: trace.xaxis ?? "x",
			yref: trace.yaxis ?? "y",
			x: xs[0],
			y: ys[0],
			sizex: wide,
			sizey: high,
			xanchor: "left",
			yanchor: "top",
			sizing: "stretch",
			layer: "below",
		},
	];
}

/** The title of an axis, as a note. @param {any} axis @param {any} where */
const noteOf = (axis, where) => (axis.title?.text ? [{ text: axis.title.text, ...where }] : []);

/** Whether names stand along an axis, one at each whole number from 0 on. @param {{tickvals?: number[], range: number[], type?: string, names?: true}} axis */
const ofNames = ({ tickvals = [], range, type, names }) =>
	names ||
	(type !== "log" &&
		tickvals.length > 0 &&
		tickvals.every((tick, i) => tick === i) &&
		Math.min(...range) === -0.5 &&
		Math.max(...range) === tickvals.length - 0.5);

/**
 * @param {any} served @param {number} pixels the length of the axis
 * @param {{font: any, colours: Palette, size: number, turned?: boolean, framed?: boolean}} how `size`: the room of one tick's name
 */
function axis(served, pixels, { font, colours, size, turned = false, framed = false }) {
	const matrix = ofNames(served) || (served.showline === false && served.showgrid === false);
	return {
		type: served.type,
		range: [...served.range],
		side: served.side,
		anchor: served.anchor,
		tickmode: "array",
		...thinned(served, served.range, pixels, size),
		tickangle: turned ? -45 : 0,
		ticklabeloverflow: "allow",
		tickfont: font,
		ticks: matrix ? "" : "outside",
		ticklen: TICK,
		tickcolor: colours.ruleStrong,
		showline: served.showline !== false,
		linecolor: colours.ruleStrong,
		mirror: framed || (matrix && served.side === "top"),
		showgrid: !matrix && served.showgrid !== false,
		gridcolor: colours.rule,
		zeroline: !matrix && served.type !== "log" && served.showline !== false,
		zerolinecolor: colours.ruleStrong,
		automargin: false,
		title: { text: "" },
	};
}

/** The ticks within a range, as many as there is room for. @param {any} served @param {number[]} range @param {number} pixels @param {number} size */
export function thinned(served, range, pixels, size) {
	const [low, high] = [Math.min(...range), Math.max(...range)];
	const at = served.type === "log" ? Math.log10 : Number;
	const ticks = /** @type {number[]} */ (served.tickvals ?? []);
	const seen = ticks
		.map((_, i) => i)
		.filter((i) => at(ticks[i]) >= low - 1e-9 && at(ticks[i]) <= high + 1e-9);
	const every = Math.max(1, Math.ceil((seen.length * size) / Math.max(1, pixels)));
	const kept = seen.filter((_, n) => n % every === 0);
	return {
		tickvals: kept.map((i) => ticks[i]),
		ticktext: kept.map((i) => served.ticktext?.[i] ?? ""),
	};
}

/**
 * The ticks within a range; the name of the chosen place is always among them, in bold, and none
 * covers it.
 * @param {any} served @param {number[]} range @param {number} pixels @param {number} size @param {number | null} [chosen]
 */
export function withChosen(served, range, pixels, size, chosen) {
	const { tickvals, ticktext } = thinned(served, range, pixels, size);
	const i = (served.tickvals ?? []).indexOf(chosen);
	const step = pixels / Math.abs(range[1] - range[0]);
	const [low, high] = [Math.min(...range), Math.max(...range)];
	if (i < 0 || Number(chosen) < low || Number(chosen) > high) return { tickvals, ticktext };
	const others = tickvals
		.map((_, n) => n)
		.filter(
			(n) => tickvals[n] !== chosen && Math.abs(tickvals[n] - Number(chosen)) * step >= size - 1,
		);
	return {
		tickvals: [...others.map((n) => tickvals[n]), Number(chosen)],
		ticktext: [...others.map((n) => ticktext[n]), `<b>${served.ticktext[i]}</b>`],
	};
}

/** Words within a row: those that reach beyond their limit are left out, the farthest first. @param {any} note @param {number} unit pixels of one step across @param {(text: string) => number} wide */
function fitted(note, unit, wide) {
	const limit = note.name?.match(/^fit (\S+)/)?.[1];
	if (!limit) return note;
	const words = note.text.split(" ");
	while (words.length && wide(words.join(" ")) > Math.abs(Number(limit) - note.x) * unit)
		note.xanchor === "right" ? words.shift() : words.pop();
	return { ...note, text: words.join(" ") };
}

/** A name at the end of a line. One that is called "end?" may be left out. @param {any} note */
const isEnd = ({ name }) => /^end\?? /.test(name);

/** The sums of rows, and names that may be left out, are where there is room for each. @param {any[]} notes @param {any} upright @param {Box} box @param {number} size @param {boolean} summed whether there is room beside the rows */
function crowded(notes, upright, box, size, summed) {
	const step = box.height / Math.abs(upright.range[1] - upright.range[0]);
	const ends = notes.filter(isEnd).length;
	const kept =
		box.height < ends * size * 0.9 ? notes.filter(({ name }) => !name?.startsWith("end? ")) : notes;
	return step < size * 1.1 || !summed ? kept.filter(({ name }) => !name?.startsWith("sum ")) : kept;
}

/** What stands in a cell, or its first word where there is no room for more. @param {any[]} notes @param {any} level @param {Box} box @param {(text: string) => number} wide */
function fitting(notes, level, box, wide) {
	const step = box.width / Math.abs(level.range[1] - level.range[0]);
	return notes.map((note) =>
		note.name?.startsWith("cell ") && wide(note.text) > step - 4
			? { ...note, text: note.text.split(" ")[0] }
			: note,
	);
}

/** Names at the ends of lines, pushed apart so that none covers another. @param {any[]} notes @param {any} upright @param {Box} box @param {number} size */
function apart(notes, upright, box, size) {
	const [low, high] = upright.range;
	const ends = notes.filter(isEnd);
	const wanted = ends.map(({ y }) => box.height * (1 - (y - low) / (high - low)));
	const step = Math.min(size * 1.15, box.height / Math.max(1, ends.length));
	const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
	const got = [...wanted];
	order.forEach((i, n) => (got[i] = Math.max(got[i], n ? got[order[n - 1]] + step : 0)));
	const over = Math.max(0, (got[order[order.length - 1]] ?? 0) - box.height);
	[...order]
		.reverse()
		.forEach(
			(i, n, list) => (got[i] = Math.min(got[i], n ? got[list[n - 1]] - step : got[i] - over)),
		);
	return notes.map((note) => {
		const i = ends.indexOf(note);
		return i < 0 ? note : { ...note, yshift: wanted[i] - got[i] };
	});
}

/** @param {any} note @param {Palette} colours */
function restyledNote(note, colours) {
	const role = note.name?.replace(/^(end\??|title|sum|cell|word|here|fit \S+) /, "");
	const [ink, ground] = role?.split(" on ") ?? [];
	const color = ink ? colourOf(colours, ink) : colours.ink;
	return {
		showarrow: false,
		borderpad: 0,
		...note,
		...(note.name?.startsWith("title ") &&
			note.yshift && { yshift: (note.yshift * colours.tick) / SERVED }),
		...(ground && { bgcolor: colourOf(colours, ground) }),
		font: { ...note.font, family: colours.fonts.mono, size: colours.tick, color },
	};
}

/** @param {any} shape @param {Palette} colours */
export function lined(shape, colours) {
	const [, part, role] = shape.name?.match(/^(fill|line) (.+)/) ?? [];
	const color = part === "line" ? colourOf(colours, role) : colours.ruleStrong;
	const fillcolor =
		shape.name === "frame"
			? colours.sunken
			: part === "fill"
				? colourOf(colours, role)
				: shape.fillcolor;
	return { ...shape, ...(fillcolor && { fillcolor }), line: { ...shape.line, color } };
}
