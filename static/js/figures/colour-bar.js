// The colour bar of a heat map, or of bars that are coloured by a number.

export const THICK = 12;

/** What a colour bar is made of: the trace itself, or the colours of its bars. @param {Trace} trace */
export function scaled(trace) {
	const { cmin: zmin, cmax: zmax, ...marker } = trace.marker ?? {};
	if (marker.showscale) return { ...marker, zmin, zmax };
	return trace.type === "heatmap" && trace.showscale !== false ? trace : undefined;
}

/** The ends and the middle of a colour scale. @param {Trace} trace @returns {[number, string][]} */
export const barTicks = ({ zmin, zmax }) =>
	[zmin, (zmin + zmax) / 2, zmax].map((value) => [value, short(value)]);

const short = (value = 0) =>
	(Math.abs(value) >= 100 || Number.isInteger(value)
		? String(Math.round(value))
		: String(Number(value.toPrecision(2)))
	).replace("-", "−");

/** A trace with its colour bar at the right of its panel. @type {Fit} */
export function withBar(trace, { box, bar }, _, { size, colours }, top) {
	const scale = scaled(trace);
	if (!scale) return trace;
	const ticks = barTicks(scale);
	const colorbar = {
		thickness: THICK,
		ticklabeloverflow: "allow",
		lenmode: "pixels",
		len: box.height,
		xpad: 0,
		ypad: 0,
		x: bar / size.width,
		y: 1 - (box.y - top) / (size.height - top),
		yanchor: "top",
		outlinecolor: colours.ruleStrong,
		tickvals: ticks.map(([value]) => value),
		ticktext: ticks.map(([, name]) => name),
		tickfont: { family: colours.fonts.mono, size: colours.tick, color: colours.inkSoft },
	};
	return trace.z ? { ...trace, colorbar } : { ...trace, marker: { ...trace.marker, colorbar } };
}
