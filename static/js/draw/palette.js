// The shared colours, fonts and sizes of the present theme, as tokens.css has them, and how bright
// a colour is.

/** @typedef {[number, number, number]} Rgb */
const NAMES =
	"paper sunken ink ink-soft rule rule-strong focus select error hatch query key value stream" +
	" embedding position attention cross feed-forward bias above below";

/**
 * The shared colours and sizes as they are in the present theme; a name with a hyphen is also in
 * camelCase.
 * @returns {Palette}
 */
export function palette() {
	const style = getComputedStyle(document.documentElement);
	const read = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
	const list = (/** @type {string} */ name) =>
		read(name)
			.split(",")
			.map((colour) => colour.trim());
	const root = Number.parseFloat(style.fontSize);
	const size = (/** @type {string} */ name) => Number.parseFloat(read(name)) * root;
	const named = Object.fromEntries(
		NAMES.split(" ").map((name) => [name.replace(/-(\w)/g, (_, c) => c.toUpperCase()), read(name)]),
	);
	return {
		...named,
		heads: list("heads"),
		cividis: list("cividis"),
		signed: list("signed"),
		fonts: { sans: read("sans"), serif: read("serif"), mono: read("mono") },
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
