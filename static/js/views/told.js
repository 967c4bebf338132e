// A page whose sentences, choices and links come with the answer, as its figures do.

import { rooted } from "../address.js";
import { byId, make, setHtml } from "../common.js";
import { drawn } from "./drawn.js";

export default () =>
	drawn({
		onDraw({ show }, page, { words: { views, choices, chosen, links } }) {
			for (const name of Object.keys(choices)) page.options(name, choices[name], chosen[name]);
			for (const name of ["see", "more"]) setHtml(byId(name), views[show].explained[name]);
			const leads = links.map((/** @type {any} */ { href, text }) =>
				make("li", {}, make("a", { href: rooted(href) }, text)),
			);
			byId("leads").replaceChildren(...leads);
		},
	});
