// A clinic: figures that come drawn, what is said of them, and a curtain that hides both for a
// while.

import { apiAddress } from "../address.js";
import { once } from "../http.js";
import { all, by, make, tell } from "../common.js";
import { tableElement } from "../draw/table-text.js";
import { follow } from "../following.js";
import { progress } from "../progress.js";
import { drawn } from "./drawn.js";

export default function visit() {
	const predict = by("predict");
	/** @type {Page | undefined} */ let page;
	const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });
	predict?.addEventListener("click", turn);
	by("more").onclick = () => page?.set({ seeds: by("more").dataset.seeds ?? "" });
	by("votes")?.addEventListener("click", vote);
	drawn({
		own: ["curtain"],
		how: (word, question, { cancel, ...options }) =>
			follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) }),
		said(state, present, { words, source, init }) {
			page = present;
			if (predict) cover(Boolean(state.curtain), predict);
			if (words) say({ ...words, source: [source, init].filter(Boolean).join(". ") });
		},
		keys: predict ? { predict: turn } : {},
	});
}

/** Sends what a button says, and tells the counts. @param {Event} event */
async function vote({ target }) {
	const { value: body } = /** @type {HTMLButtonElement} */ (target);
	if (!body) return;
	const headers = { "Content-Type": "application/json" };
	const response = await once(apiAddress("votes", {}), { method: "POST", headers, body });
	const { votes } = await response.json();
	const box = by("choices");
	for (const [i, count] of all("output", box).entries()) count.textContent = votes[i];
	if (/choice|reset/.test(body)) box.disabled = body.includes("choice");
}

/** @param {boolean} down @param {HTMLElement} button */
function cover(down, button) {
	button.ariaExpanded = String(down);
	by("curtain").hidden = !down;
	by("measured").inert = down;
	document.body.toggleAttribute("data-curtain", down);
}

/** @param {any} words */
function say({ findings, standing_out, seeds, explained, ...sentences }) {
	for (const [id, sentence] of Object.entries(sentences)) by(id).textContent = sentence;
	for (const [id, html] of Object.entries(explained)) tell(by(id), html);
	by("findings").replaceChildren(tableElement(findings));
	const items = standing_out.map((/** @type {string} */ said) => make("li", {}, said));
	by("standing").hidden = !items.length;
	by("standing").firstElementChild.replaceChildren(...items);
	by("more").hidden = !seeds;
	by("more").textContent = `Take ${seeds} seeds`;
	by("more").dataset.seeds = seeds;
}
