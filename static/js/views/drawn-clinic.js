// A clinic: figures that come drawn, what is said of them, and a curtain that hides both for a
// while.

import { posted } from "../events.js";
import { once } from "../http.js";
import { $$, byId, make, setHtml } from "../common.js";
import { tableElement } from "../draw/table-text.js";
import { followed } from "../progress.js";
import { drawn } from "./drawn.js";
import { say } from "../words.js";

/** A note with a full stop at its end. @param {string} note */
const ended = (note) => note.replace(/\.?$/, ".");

export default function visit() {
	/** @type {Page | undefined} */ let page;
	let asked = false; // then it stays above its answer
	const turn = () => page?.set({ curtain: page.state.curtain ? "" : "1" }, { push: false });
	byId("predict").onclick = byId("uncover").onclick = turn;
	byId("more").onclick = () => page?.set({ seeds: byId("more").dataset.seeds ?? "" });
	for (const [i, choice] of $$("#choices button").entries()) choice.onclick = () => vote(false, i);
	byId("count").onclick = () => vote(true);
	drawn({
		own: ["curtain"],
		how: followed,
		onDraw(state, present, { words, source, init }) {
			page = present;
			if (words) caption({ ...words, source: [source, init].filter(Boolean).map(ended).join(" ") });
			const down = Boolean(state.curtain);
			asked ||= down;
			byId("predict").ariaExpanded = String(down);
			byId("curtain").hidden = !asked;
			byId("choices").disabled = !down;
			byId("measured").inert = down;
			document.body.toggleAttribute("data-curtain", down);
			if (asked) vote(!down).catch(() => {}); // the answer is seen anyway
		},
		keys: { predict: turn },
	});
}

/**
 * Gives a vote, if there is a choice, and counts all for who has voted or sees what is `open`.
 * @param {boolean} open @param {number} [choice]
 */
async function vote(open, choice) {
	const { page = "" } = document.body.dataset;
	const setting = location.search.slice(1);
	const { address, ...asked } = posted("votes", { page, setting, choice });
	const response = await once(address, asked);
	const { votes, choice: own } = await response.json();
	const { children, dataset, disabled } = byId("choices");
	const counts = open || own !== null ? votes : votes.map(() => "");
	for (const [i, count] of counts.entries()) {
		const button = children[i + 1];
		button.ariaPressed = `${i === own}`;
		button.lastChild.textContent = count;
		button.style.setProperty("--share", `${count / Math.max(1, ...votes)}`);
	}
	if (!disabled || !dataset.right || own === null) return;
	// the first answer on a page is kept
	const all = { [page]: own === +dataset.right, ...JSON.parse(localStorage.exercises ?? "{}") };
	localStorage.exercises = JSON.stringify(all);
	const each = Object.values(all);
	byId("answered").textContent = say("{right} of {all}", {
		right: each.filter(Boolean).length,
		all: each.length,
	});
}

/** @param {any} words */
function caption({ findings, standing_out, seeds, explained, exercise, ...sentences }) {
	byId("choices").dataset.right = exercise.right ?? "";
	for (const [id, sentence] of Object.entries(sentences)) byId(id).textContent = sentence;
	for (const [id, html] of Object.entries(explained)) setHtml(byId(id), html);
	byId("findings").replaceChildren(tableElement(findings));
	const items = standing_out.map((/** @type {string} */ said) => make("li", {}, said));
	byId("standing").hidden = !items.length;
	byId("standing").firstElementChild.replaceChildren(...items);
	byId("more").hidden = !seeds;
	byId("more").textContent = say("Run {seeds} seeds", { seeds });
	byId("more").dataset.seeds = seeds;
}
