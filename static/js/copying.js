// What a figure is taken along as: a link to the page, lines of Python, a frame for another page.

import { apiAddress, query } from "./address.js";
import { escaped } from "./figures/axis.js";
import { get } from "./state.js";
import { announce, quiet } from "./status.js";

/** @param {Shown} what */
const address = ({ drawn, call }) => location.origin + apiAddress(...(drawn ?? call));

const AROUND = 80; // pixels of a frame that its title and its foot take

/** A frame as large as the picture is here. @param {Shown} what */
function frame(what) {
	const { clientWidth: width = 640, clientHeight: height = 400 } = what.stage ?? {};
	const title = escaped(what.plotly?.layout.meta.title ?? "").replaceAll('"', "&quot;");
	const size = `width="${width}" height="${height + AROUND}"`;
	const how = `${size} title="${title}" loading="lazy" style="border: 0"`;
	return `<iframe src="${escaped(address(what))}" ${how}></iframe>`;
}

/** @type {Record<string, (what: Shown) => string>} */
const TEXTS = {
	iframe: frame,
	link: () => new URL(query(get()), location.href).href,
	python: (what) =>
		[
			"from urllib.request import urlopen",
			"import plotly.io as pio",
			`pio.from_json(urlopen("${address(what)}").read()).show()`,
		].join("\n"),
};

const CLOSED = "Copied. Only this server may frame it until VITRINE_EMBED names another.";

/**
 * @param {string} name @param {Shown} what
 * @param {boolean} [closed] whether other sites may not frame it
 */
export async function copy(name, what, closed = false) {
	await navigator.clipboard.writeText(TEXTS[name](what));
	if (closed) quiet(CLOSED);
	announce("Copied");
}
