// What a figure is taken along as: a link to the page, or lines of Python.

import { apiAddress } from "./address.js";
import { announce } from "./status.js";

/** @typedef {import("./foot.js").Shown} Shown */

/** @param {Shown} what */
const address = ({ drawn, call }) => location.origin + apiAddress(...(drawn ?? call));

/** @type {Record<string, (what: Shown) => string>} */
const TEXTS = {
  link: () => location.href,
  python: (what) => ["from urllib.request import urlopen", "import plotly.io as pio", `pio.from_json(urlopen("${address(what)}").read()).show()`].join("\n"),
};

/** @param {string} name @param {Shown} what */
export async function copy(name, what) {
  await navigator.clipboard.writeText(TEXTS[name](what));
  announce("Copied");
}
