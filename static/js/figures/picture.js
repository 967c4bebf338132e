// A figure as a picture to take along, with its title above and its provenance below.

import { palette } from "../draw/palette.js";
import { escaped } from "./axis.js";
import { plotly } from "./plotly.js";
import { figures } from "./show.js";
import { measure } from "./placeholder.js";

const SMALL = 11;
const LINE = 16;

/** @param {HTMLElement} stage @param {string[]} provenance */
export async function picture(stage, provenance) {
	const { arranged, served } = /** @type {Staged} */ (figures.get(stage));
	const { fonts, ink, paper } = palette();
	const { size, layout, data } = arranged;
	const said = provenance.flatMap((note) => inLines(note, size.width - 8, fonts.sans));
	const [above, below, top] = [28, 8 + LINE * said.length, layout.margin.t];
	const height = size.height + above + below;
	const at = (text = "", y = 0, size = SMALL) => ({
		text,
		xref: "paper",
		yref: "paper",
		x: 0,
		y: 1,
		xanchor: "left",
		yanchor: "top",
		xshift: 4,
		yshift: -y,
		showarrow: false,
		font: { family: fonts.sans, size, color: ink },
	});
	const whole = {
		...layout,
		height,
		paper_bgcolor: paper,
		margin: { ...layout.margin, t: top + above, b: below },
		legend: { ...layout.legend, y: 1 - above / height },
		annotations: [
			...layout.annotations,
			at(`<b>${escaped(served.layout.meta.title ?? "")}</b>`, 4 - top - above, LINE),
			...said.map((line, i) => at(escaped(line), size.height - top + 8 + LINE * i)),
		],
	};
	const how = { format: "svg", width: size.width, height };
	return (await plotly()).toImage({ data, layout: whole }, how);
}

/**
 * A note in as many lines as its width needs.
 * @param {string} note @param {number} width @param {string} family
 */
function inLines(note, width, family) {
	const lines = [""];
	for (const part of note.match(/[^ &?]{1,24}[ &?]*|[ &?]+/g) ?? []) {
		if (measure(lines.at(-1) + part, family, SMALL) > width) lines.push("");
		lines[lines.length - 1] += part;
	}
	return lines;
}
