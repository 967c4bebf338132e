// One pair of axes in its room: how much of the room its names, titles, sums and colour bar need,
// and where each of them stands.

import { axis, fontOf, ofNames, plain, unit } from "./axis.js";
import { barTicks, clipped, scaled, THICK } from "./fit.js";
import { looking, notesIn, ofKind } from "./notes.js";

const EDGE = 8;
const MAX_ABOVE = 0.3; // of the height may be names over a matrix
const MAX_BESIDE = 0.36; // of the width may be names beside it
const MAX_SUMS = 0.18; // of the width may be sums of rows; the numbers in the cells go before
const UPRIGHT = 0.95; // of their size names are apart whose lines lie side by side
const SLANT = 0.72; // of its length a name at 45° is wide, and high

/** @type {PanelIn} */
export function panelIn(layout, place, outer, traces, { colours, measure }, least) {
	const { tick: size, fonts } = colours;
	const [x, y] = [`xaxis${place}`, `yaxis${place}`];
	/** @type {Axis} */ const level = layout[x];
	// captioned: the page says what the axes are
	const { captioned = false, layers = [], chosen = {} } = layout.meta;
	const wide = (text = "", axis = {}) => measure(plain(text), fontOf(axis, fonts), size);
	const widest = (texts = [""], axis = {}) => Math.max(0, ...texts.map((text) => wide(text, axis)));
	const titleOf = (/** @type {Open} */ { title }) => title?.text ?? "";
	const { ticktext: names = [], side, tickvals } = level;
	const letters = Math.floor((outer.width * MAX_BESIDE) / wide("0", layout[y]));
	const rows = (layout[y].ticktext ?? []).map((name = "") => clipped(name, letters));
	/** @type {Axis} */ const upright = { ...layout[y], ticktext: rows };
	const own = looking(layout).filter(({ xref }) => xref === `x${place}`);
	const above = side === "top";
	const lined = upright.showline !== false;
	const bar = traces.map(scaled).find(Boolean);
	const barTitle = titleOf(bar?.colorbar ?? {});
	const isNamed = ofNames(level);
	const groups = isNamed ? layers : [];
	const bare = !lined && !rows.length;

	const left = bare
		? 1
		: Math.max(least.left, Math.min(outer.width * MAX_BESIDE, widest(rows, layout[y])) + 12);
	const [ends, all] = [ofKind(own, "end"), ofKind(own, "sum")].map((notes) =>
		notes.length ? widest(notes.map(({ text }) => text)) + 14 : 0,
	);
	const sums = all < outer.width * MAX_SUMS ? all : 0;
	const right = Math.max(
		least.right,
		bar
			? sums + THICK + 12 + widest(barTicks(bar).map(([, name]) => name)) + EDGE
			: ends || sums + 2 * EDGE,
	);
	const most = Math.max(40, outer.width - left - right);
	const longest = widest(names, level);
	const tall = upright.scaleanchor ? unit(upright, outer.height - 4 * size) : most;
	const apart = (tickvals ?? []).map((at, i, all) => Math.abs((all[i + 1] ?? Infinity) - at));
	const step = Math.min(...apart) * Math.min(unit(level, most), tall);
	const gap = captioned || longest < size ? 4 : EDGE; // between two names
	const isWords = names.some((name) => Number.isNaN(Number(name))); // of numbers some are enough
	const close = isWords && (isNamed || level.showline === false) && longest + gap > step;
	// Names stand upright where all can; of slanted ones at least every third stands, else they lie.
	const upwards = close && step >= size * UPRIGHT && step < size * 1.4;
	const slanted = close && !upwards && step > size * 0.5;
	const turned = upwards ? 90 : slanted ? 45 : 0;
	// A turned name goes on beyond its column: the last one above, the first one below.
	const beyond = (name = "") => (slanted ? wide(name, level) * SLANT - step / 2 : 0);
	const after = slanted && above ? beyond(names.at(-1)) + size : 0;
	const before = above ? 0 : Math.max(0, beyond(names[0]) + (turned ? size * 0.3 : 0) - left);
	const width = Math.max(40, Math.min(most, outer.width - left - after)) - before;

	const line = size * 1.6;
	const room = !tickvals?.length
		? 0
		: turned
			? Math.min(longest, outer.height * MAX_ABOVE) * (upwards ? 1 : SLANT) + size
			: size * 1.4;
	// The title of the level axis stands beside the other where there is room, else under it.
	const across = Math.max(left, wide(titleOf(upright)) + size);
	const second = lined && across + wide(titleOf(level)) + wide(barTitle) + size > outer.width;
	const over = captioned
		? above
			? room + (groups.length ? line : 0) + (room ? 4 : EDGE)
			: size * 0.6
		: line + (above ? room + (room && second ? line : 4) : size * 0.4);
	const under = above ? EDGE : (turned ? room : size * 1.5) + 4 + line + (bare ? size * 0.6 : 0);
	const area = { width, height: Math.max(20, outer.height - over - under) };
	const box = {
		x: outer.x + left + before,
		y: outer.y + over,
		...(upright.scaleanchor ? even(level, upright, area) : area),
	};

	const [first, last] = [outer.y + line / 2, box.y + box.height + under - line / 2];
	const column = unit(level, box.width);
	const note = (text = "", x = 0, y = 0, xanchor = "left") => ({
		text,
		px: [x, y],
		xanchor,
		yanchor: "middle",
		font: { family: fonts.sans, size, color: colours.inkSoft },
	});
	const titles = () => {
		const title = titleOf(level);
		if (!above)
			return groups.length
				? note(title, outer.x, last)
				: note(title, box.x + box.width, last, "right");
		if (!room) return note(title, outer.x + wide(titleOf(upright)) + size, first);
		return second ? note(title, box.x, first + line) : note(title, outer.x + across, first);
	};
	const notes = [
		...(captioned ? [] : [note(titleOf(upright), outer.x, first), titles()]),
		...groups.map(({ name, short, from, to }) =>
			note(
				wide(name) < (to - from + 1) * column ? name : short,
				box.x + ((from + to) / 2 - level.range[0]) * column,
				above ? box.y - room - line / 2 : last,
				"center",
			),
		),
		captioned && !room
			? note(barTitle, box.x + box.width + sums + THICK + 14, box.y + box.height / 4)
			: note(
					barTitle,
					box.x + box.width + right - 2,
					captioned ? outer.y + size * 0.5 : first,
					"right",
				),
	];
	const dense = (captioned || ofNames(upright)) && box.height >= size * UPRIGHT * rows.length;
	const rooms = {
		[x]: turned ? size * (upwards ? UPRIGHT : 1.2) : longest + gap,
		[y]: size * (dense ? UPRIGHT : 1.25),
	};
	const font = { size, color: above ? colours.ink : colours.inkSoft };
	const framed = above && isNamed && ofNames(upright);
	return {
		panel: {
			x,
			y,
			box,
			bar: box.x + box.width + sums + 10,
			rooms,
			named: { [x]: level, [y]: upright },
		},
		least: { left, right },
		notes: notes.filter(({ text }) => text),
		own: notesIn(own, level, upright, box, captioned ? size * 0.9 : size, {
			colours,
			wide,
			summed: sums > 0,
		}),
		axes: {
			[x]: axis(level, box.width, { font, colours, size: rooms[x], chosen: chosen[x], turned }),
			[y]: axis(upright, box.height, { font, colours, size: rooms[y], chosen: chosen[y], framed }),
		},
	};
}

/**
 * The largest area in which a unit is as long across as it is up.
 * @param {Axis} level @param {Axis} upright @param {Size} area
 */
function even(level, upright, { width, height }) {
	const [across, up] = [level, upright].map(({ range }) => Math.abs(range[1] - range[0]));
	const step = Math.min(width / across, height / up);
	return { width: step * across, height: step * up };
}
