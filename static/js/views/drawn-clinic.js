// A clinic: figures that come drawn, a curtain that hides them for a while, and what was found. What takes long is followed.

import { cover, list } from "../clinic-words.js";
import { follow } from "../following.js";
import { progress } from "../progress.js";
import { drawn } from "./drawn.js";

export default function visit() {
	const predict = document.getElementById("predict");
	/** @type {Page | undefined} */ let page;
	const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });
	predict?.addEventListener("click", turn);
	drawn({
		own: ["curtain"],
		how: (word, question, { cancel, ...options }) =>
			follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) }),
		said(state, present, { findings, finding_titles: titles, reading, source, init }) {
			page = present;
			if (predict) cover(Boolean(state.curtain), predict);
			if (!findings) return;
			say("reading", reading);
			say("source", [source, init].filter(Boolean).join(". "));
			list(/** @type {HTMLElement} */ (document.getElementById("findings")), findings, titles);
		},
		keys: predict ? { predict: turn } : {},
	});
}

/** @param {string} id @param {string} sentence */
function say(id, sentence) {
	const element = /** @type {HTMLElement} */ (document.getElementById(id));
	element.textContent = sentence;
}
