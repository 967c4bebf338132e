// A clinic: figures that come drawn, what is said of them, and a curtain that hides both for a
// while.

import { apiAddress } from "../address.js";
import { once } from "../http.js";
import { $$, byId, make, setHtml } from "../common.js";
import { tableElement } from "../draw/table-text.js";
import { follow } from "../following.js";
import { progress } from "../progress.js";
import { drawn } from "./drawn.js";

export default function visit() {
	const predict = byId("predict");
	/** @type {Page | undefined} */ let page;
	const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });
	predict?.addEventListener("click", turn);
	byId("more").onclick = () => page?.set({ seeds: byId("more").dataset.seeds ?? "" });
	byId("votes")?.addEventListener("click", vote);
	drawn({
		own: ["curtain"],
		how: (word, question, { cancel, ...options }) =>
			follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) }),
		onDraw(state, present, { words, source, init }) {
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
	const box = byId("choices");
	for (const [i, count] of $$("output", box).entries()) count.textContent = votes[i];
	if (/choice|reset/.test(body)) box.disabled = body.includes("choice");
}

/** @param {boolean} down @param {HTMLElement} button */
function cover(down, button) {
	button.ariaExpanded = String(down);
	byId("curtain").hidden = !down;
	byId("measured").inert = down;
	document.body.toggleAttribute("data-curtain", down);
}

/** @param {any} words */
function say({ findings, standing_out, seeds, explained, ...sentences }) {
	for (const [id, sentence] of Object.entries(sentences)) byId(id).textContent = sentence;
	for (const [id, html] of Object.entries(explained)) setHtml(byId(id), html);
	byId("findings").replaceChildren(tableElement(findings));
	const items = standing_out.map((/** @type {string} */ said) => make("li", {}, said));
	byId("standing").hidden = !items.length;
	byId("standing").firstElementChild.replaceChildren(...items);
	byId("more").hidden = !seeds;
	byId("more").textContent = `Take ${seeds} seeds`;
	byId("more").dataset.seeds = seeds;
}
