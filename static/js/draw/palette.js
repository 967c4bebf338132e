// The theme's colours, fonts and sizes, as in tokens.css, and a figure in them: a trace says which
// quantity it shows, not a colour.

/** @typedef {[number, number, number]} Rgb */
const NAMES =
	"paper sunken ink ink-soft rule rule-strong focus select error hatch query key value stream" +
	" embedding position attention cross feed-forward bias above below edited";

/**
 * The shared colours and sizes as they are in the present theme; a name with a hyphen is also in
 * camelCase.
 * @returns {Palette}
 */
export function palette() {
	const style = getComputedStyle(document.documentElement);
	const read = (name = "") => style.getPropertyValue(`--${name}`).trim();
	const list = (name = "") =>
		read(name)
			.split(",")
			.map((colour) => colour.trim());
	const root = Number.parseFloat(style.fontSize);
	const size = (name = "") => Number.parseFloat(read(name)) * root;
	const named = Object.fromEntries(
		NAMES.split(" ").map((name) => [name.replace(/-(\w)/g, (_, c) => c.toUpperCase()), read(name)]),
	);
	return {
		...named,
		heads: list("heads"),
		cividis: list("cividis"),
		signed: list("signed"),
		fonts: { sans: read("sans"), mono: read("mono") },
		tick: size("size-tick"),
		text: size("size-text"),
	};
}

/** @param {string} hex @returns {Rgb} */
export const rgb = (hex) =>
	/** @type {Rgb} */ ([1, 3, 5].map((i) => Number.parseInt(hex.slice(i, i + 2), 16)));

/** Luminance as WCAG defines it. @param {Rgb} colour */
export function luminance(colour) {
	const [r, g, b] = colour.map((c) =>
		c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4,
	);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** @param {Palette} colours @param {string} role @returns {string} */
export function colourOf(colours, role) {
	if (role.startsWith("clear ")) return `${colourOf(colours, role.slice(6))}00`;
	if (role.startsWith("head:")) return colours.heads[Number(role.slice(5)) % colours.heads.length];
	return colours[role.replace(/-(\w)/g, (_, c) => c.toUpperCase())] ?? colours.ink;
}

/** @param {Trace[]} data @param {Palette} colours */
export const restyled = (data, colours) => data.map((trace) => inTheme(trace, colours));

/** @param {Trace} trace @param {Palette} colours @returns {Trace} */
function inTheme(trace, colours) {
	const { line, marker, meta = {} } = trace;
	const { role, scale } = meta;
	const colour = (one = "") => colourOf(colours, one);
	if (scale) {
		const stops = Array.isArray(scale) ? scale.map(colour) : colours[scale];
		const colorscale = stops.map((stop = "", i = 0) => [i / (stops.length - 1), stop]);
		return marker ? { ...trace, marker: { ...marker, colorscale } } : { ...trace, colorscale };
	}
	if (!role) return trace;
	const color = Array.isArray(role) ? role.map(colour) : colour(role);
	return {
		...trace,
		...(line && { line: { ...line, color: [color].flat()[0] } }),
		...(marker && { marker: { ...marker, ...filled(color, marker, meta, colours.paper) } }),
	};
}

/**
 * Bars and markers are filled with their colour and edged with paper; hollow ones the other way
 * round. A stroke is all edge.
 * @param {string | string[]} color @param {any} marker @param {any} meta @param {string} paper
 */
function filled(color, { line }, { hollow = [], across }, paper) {
	if (across) return { color, line: { ...line, color } };
	if (!line) return { color };
	if (!Array.isArray(color)) return { color, line: { ...line, color: paper } };
	const swapped = (edge = false) =>
		color.map((own, i) => (Boolean(hollow?.[i]) === edge ? own : paper));
	return { color: swapped(false), line: { ...line, color: swapped(true) } };
}
