// Edits of the run: the chips in the bar, their order, and the menu that makes one. What stands in
// them, and what becomes of the answer, comes as HTML; an edit is made where its words are.

import { ask } from "./api.js";
import { input } from "./address.js";
import { all, by, make, one, tell, within } from "./common.js";
import { listed, moved } from "./edit-list.js";
import { page } from "./page.js";

/** The styles of the row, once they are there. @param {string} href */
function styles(href) {
	if (one(`link[rel=stylesheet][href="${href}"]`)) return null;
	const link = make("link", { rel: "stylesheet", href });
	document.head.append(link);
	return new Promise((done) => Object.assign(link, { onload: done, onerror: done }));
}

/** @param {AbortSignal} signal of the visit */
export function edits(signal) {
	const styled = styles(by("edits").dataset.css);
	const [row, chips, form, menu] = [by("edits"), by("edited"), by("edit"), one(".edit-field")];
	/** @type {any} what the menu makes */ let made;
	/** @type {number} the chip that gets the focus when it has come */ let wanted = -1;
	let dragged = -1;

	/** @param {any[]} list */
	const put = (list) => page.set({ edits: list.length ? JSON.stringify(list) : "" });
	const place = (/** @type {any} */ inside) =>
		all("li", chips).indexOf(inside instanceof Element ? inside.closest(".chips li") : null);
	/** @param {number} from @param {number} to */
	function move(from, to) {
		const list = listed(page.state.edits);
		wanted = within(0, list.length - 1, to);
		put(moved(list, from, wanted));
	}

	async function follow() {
		const { edits: now } = page.state;
		await styled;
		row.hidden = !page.state.edits;
		if (menu?.open) offer();
		if (!now) return;
		const { html } = await ask("logits/edits", input(page.state), { signal }).catch((why) => {
			if (!signal.aborted) chips.append(make("p", {}, `${why.message} ${why.remedy ?? ""}`));
			return {};
		});
		if (!html || signal.aborted || page.state.edits !== now) return;
		tell(chips, html);
		one(`li:nth-child(${wanted + 1}) [data-remove]`, chips)?.focus();
		wanted = -1;
	}

	/** The menu as the reader's choices, or before them the page's own, leave it. */
	async function offer() {
		await styled;
		const at = /** @type {any} */ (document.activeElement)?.name;
		const fields = all("[name]", form);
		const { kind, stack = "decoder", layer, head, query, key } = page.state;
		const part = { cross: "cross_attention", rows: "row_attention" }[kind] ?? "attention";
		const first = { of: kind && `${stack}.{}.${part}.z`, layer, head, query, key };
		const chosen = fields.length
			? Object.fromEntries(fields.map(({ name, value }) => [name, value]))
			: first;
		const answer = await ask(
			"logits/edit",
			{ ...input(page.state), edits: "", ...chosen },
			{ signal },
		);
		tell(form, answer.html);
		made = answer.edit;
		one(at ? `[name="${at}"]` : "select", form)?.focus();
	}

	chips.onclick = (/** @type {any} */ { target }) => {
		const button = target.closest("button");
		const at = place(button);
		if (at < 0) return;
		if (button.dataset.move) return move(at, at + Number(button.dataset.move));
		const list = listed(page.state.edits).toSpliced(at, 1);
		wanted = Math.min(at, list.length - 1);
		put(list);
	};
	chips.onkeydown = (/** @type {KeyboardEvent} */ event) => {
		const way = event.altKey && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		const at = place(event.target);
		if (!way || at < 0) return;
		event.preventDefault(); // Alt with an arrow is Back in many browsers
		move(at, at + way);
	};
	chips.ondragstart = (/** @type {any} */ { target }) => (dragged = place(target));
	chips.ondragover = (/** @type {Event} */ event) => dragged >= 0 && event.preventDefault();
	chips.ondrop = (/** @type {any} */ event) => {
		event.preventDefault();
		const to = place(event.target);
		if (dragged >= 0 && to >= 0 && to !== dragged) move(dragged, to);
		dragged = -1;
	};
	one("[data-clear]", row).onclick = () => put([]);
	if (menu) {
		menu.ontoggle = () => menu.open && offer();
		form.onchange = offer;
		form.onsubmit = async (/** @type {Event} */ event) => {
			event.preventDefault();
			await offer(); // of what was typed last
			if (!made) return;
			menu.open = false;
			put([...listed(page.state.edits), made]);
			one("summary", menu).focus();
		};
		if (menu.open) offer();
	}
	document.addEventListener("follow", follow, { signal });
	follow();
}
