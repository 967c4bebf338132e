// Colours of a figure in the reader's theme. A trace says which quantity it shows, not a colour.

/**
 * The colour of a quantity or of a head.
 * @param {Palette} colours @param {string} role @returns {string}
 */
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
	const colour = (/** @type {string} */ one) => colourOf(colours, one);
	if (scale) {
		const stops = Array.isArray(scale) ? scale.map(colour) : /** @type {any} */ (colours)[scale];
		const colorscale = stops.map((/** @type {string} */ stop, /** @type {number} */ i) => [
			i / (stops.length - 1),
			stop,
		]);
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
	const swapped = (/** @type {boolean} */ edge) =>
		color.map((own, i) => (Boolean(hollow?.[i]) === edge ? own : paper));
	return { color: swapped(false), line: { ...line, color: swapped(true) } };
}
