// Colours of a figure in the reader's theme. A trace says which quantity it shows, not a colour.

/** @typedef {import("../draw/palette.js").Palette} Palette */

/** The colour of a quantity or of a head. @param {Palette} colours @param {string} role @returns {string} */
export const colourOf = (colours, role) =>
	role.startsWith("clear ")
		? `${colourOf(colours, role.slice(6))}00`
		: role.startsWith("head:")
			? colours.heads[Number(role.slice(5)) % colours.heads.length]
			: (colours[role.replace(/-(\w)/g, (_, c) => c.toUpperCase())] ?? colours.ink);

/** A scale by its name, or through the colours of some roles. @param {string | string[]} scale @param {Palette} colours */
function colorscale(scale, colours) {
	const stops = Array.isArray(scale)
		? scale.map((role) => colourOf(colours, role))
		: /** @type {any} */ (colours)[scale];
	return stops.map((/** @type {string} */ colour, /** @type {number} */ i) => [
		i / (stops.length - 1),
		colour,
	]);
}

/** @param {any[]} data @param {Palette} colours */
export const restyled = (data, colours) => data.map((trace) => inTheme(trace, colours));

/** @param {any} trace @param {Palette} colours */
function inTheme(trace, colours) {
	const { role, scale } = trace.meta ?? {};
	if (scale && trace.marker)
		return { ...trace, marker: { ...trace.marker, colorscale: colorscale(scale, colours) } };
	if (scale) return { ...trace, colorscale: colorscale(scale, colours) };
	if (!role) return trace;
	const each = Array.isArray(role) ? role.map((one) => colourOf(colours, one)) : null;
	const color = each ?? colourOf(colours, role);
	const line = trace.line && { line: { ...trace.line, color: each ? each[0] : color } };
	const marker = trace.marker && {
		marker: { ...trace.marker, ...outlined(color, trace, colours) },
	};
	return { ...trace, ...line, ...marker };
}

/** Bars and markers are filled with their colour and edged with paper; hollow ones the other way round. A stroke is all edge. @param {string | string[]} color @param {any} trace @param {Palette} colours */
function outlined(color, { marker, meta: { hollow, across } }, { paper }) {
	if (across) return { color, line: { ...marker.line, color } };
	if (!marker.line) return { color };
	if (!Array.isArray(color)) return { color, line: { ...marker.line, color: paper } };
	return {
		color: color.map((own, i) => (hollow?.[i] ? paper : own)),
		line: { ...marker.line, color: color.map((own, i) => (hollow?.[i] ? own : paper)) },
	};
}
