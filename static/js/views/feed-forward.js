// The feed-forward of a run: figures that come drawn, and what is said of them.

import { rooted } from "../address.js";
import { ask } from "../api.js";
import { by, make } from "../common.js";
import { drawn } from "./drawn.js";

export default () =>
	drawn({
		/** A layer or a token that this input does not have is left to the server. */
		how: (word, question, options) =>
			ask(word, question, options).catch((error) => {
				const lost = ["layer", "position"].filter((name) => error.fields?.includes(name));
				if (!lost.length) throw error;
				for (const name of lost) delete question[name];
				return ask(word, question, options);
			}),
		said({ show }, page, { words: { views, choices, chosen, links } }) {
			for (const name of Object.keys(choices)) page.options(name, choices[name], chosen[name]);
			for (const name of ["see", "more"]) by(name).textContent = views[show][name];
			const leads = links.map((/** @type {any} */ { href, text }) =>
				make("li", {}, make("a", { href: rooted(href), textContent: text })),
			);
			by("leads").replaceChildren(...leads);
		},
	});
