// A figure as a picture to take along, with its title above and its provenance below.

import { drawnPart } from "../common.js";
import { palette } from "../draw/palette.js";
import { plotly } from "./plotly.js";
import { figures } from "./show.js";
import { measure } from "./placeholder.js";

const [EDGE, ABOVE] = [4, 28];
const [LARGE, SMALL, LINE] = [16, 11, 16];

/** As Plotly draws it. @param {HTMLElement} stage @returns {Promise<Element>} */
export async function plotted(stage) {
	const { data, layout, size } = /** @type {Staged} */ (figures.get(stage)).arranged;
	const address = await (await plotly()).toImage({ data, layout }, { format: "svg", ...size });
	const svg = decodeURIComponent(address.slice(address.indexOf(",") + 1));
	return new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
}

/** @param {Element} drawing an SVG @param {string} title @param {string[]} provenance */
export function framed(drawing, title, provenance) {
	const { fonts, ink, paper } = palette();
	const [width, height] = ["width", "height"].map((name) => Number(drawing.getAttribute(name)));
	const inner = /** @type {Element} */ (drawing.cloneNode(true));
	inner.setAttribute("y", `${ABOVE}`);
	const lines = provenance.flatMap((note) => inLines(note, width - 2 * EDGE, fonts.sans));
	const below = ABOVE + height + EDGE;
	const frame = drawnPart("svg", { width, height: below + LINE * lines.length + EDGE });
	const write = (text = "", y = 0, size = SMALL, weight = 400) => {
		const look = { "font-family": fonts.sans, "font-size": size, "font-weight": weight };
		frame.append(drawnPart("text", { x: EDGE, y: y + size, fill: ink, ...look }, text));
	};
	frame.append(drawnPart("rect", { width: "100%", height: "100%", fill: paper }), inner);
	write(title, EDGE, LARGE, 700);
	lines.forEach((line, i) => write(line, below + LINE * i));
	return new XMLSerializer().serializeToString(frame);
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
