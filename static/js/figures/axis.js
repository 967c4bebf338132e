// One axis: what its ticks say, which of them there is room for, and how Plotly is told.

const TICK = 4; // length of a tick

/** Labels as they are seen, without Plotly's escapes. @param {unknown} label */
export const plain = (label) =>
	String(label).replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** As Plotly reads what is no markup. @param {string} text */
export const escaped = (text) =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * The name that stands at a number of an axis of names, else the number.
 * @param {any} axis as it was served @param {any} value
 */
export const nameAt = (axis, value) => axis?.ticktext?.[axis.tickvals.indexOf(value)] || value;

/** The pixels of one step. @param {Axis} axis @param {number} pixels its length */
export const unit = ({ range: [low, high] }, pixels) => pixels / Math.abs(high - low);

/** Whether names stand along an axis, one at each whole number from 0 on. @param {Axis} axis */
export const ofNames = ({ tickvals = [], range, type, names }) =>
	names ||
	(type !== "log" &&
		tickvals.length > 0 &&
		tickvals.every((tick, i) => tick === i) &&
		Math.min(...range) === -0.5 &&
		Math.max(...range) === tickvals.length - 0.5);

/** Names are tokens. @param {any} axis @param {any} fonts */
export const fontOf = (axis, { mono, sans }) => (ofNames(axis) ? mono : sans);

/** @param {Axis} served @param {number} pixels the length of the axis @param {AxisLook} how */
export function axis(served, pixels, how) {
	const { font, colours, size, chosen, turned = 0, framed = false } = how;
	const { type, side, anchor } = served;
	const lined = served.showline !== false;
	const matrix = ofNames(served) || (!lined && served.showgrid === false);
	return {
		type,
		range: [...served.range],
		side,
		anchor,
		tickmode: "array",
		...ticks(served, served.range, pixels, size, chosen),
		tickangle: 0 - turned,
		ticklabeloverflow: "allow",
		tickfont: { ...font, family: fontOf(served, colours.fonts) },
		ticks: matrix ? "" : "outside",
		ticklen: TICK,
		tickcolor: colours.ruleStrong,
		showline: lined,
		linecolor: colours.ruleStrong,
		mirror: framed || (matrix && side === "top"),
		showgrid: !matrix && served.showgrid !== false,
		gridcolor: colours.rule,
		zeroline: !matrix && type !== "log" && lined,
		zerolinecolor: colours.ruleStrong,
		title: { text: "" },
	};
}

/**
 * The ticks within a range, as many as there is room for; the name of the chosen place is always
 * among them, in bold, and none covers it. @type {TicksIn}
 */
export function ticks({ type, tickvals = [], ticktext = [] }, range, pixels, size, chosen) {
	const [low, high] = [Math.min(...range) - 1e-9, Math.max(...range) + 1e-9];
	const at = tickvals.map(type === "log" ? Math.log10 : Number);
	const seen = at.flatMap((place, i) => (place >= low && place <= high ? i : []));
	const every = Math.max(1, Math.ceil((seen.length * size) / Math.max(1, pixels)));
	const own = seen.find((i) => tickvals[i] === chosen) ?? -1;
	const near = (size - 1) / (pixels / (high - low));
	const kept = seen.filter(
		(i, n) => n % every === 0 && (own < 0 || Math.abs(at[i] - at[own]) >= near),
	);
	const all = own < 0 ? kept : [...kept, own];
	const named = (i = 0) => ticktext[i] ?? "";
	return {
		tickvals: all.map((i) => tickvals[i]),
		ticktext: all.map((i) => (i === own ? `<b>${named(i)}</b>` : named(i))),
	};
}
