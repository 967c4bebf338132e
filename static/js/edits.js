// Edits of the run: the chips in the bar, their order, and the menu that makes one. Their words
// come as HTML.

import { ask } from "./api.js";
import { EDITS, input, isEdited, query } from "./address.js";
import { $, $$, byId, emptied, make, setHtml, within } from "./common.js";
import { listed, moved, orderOf } from "./edit-list.js";
import { subscribe } from "./state.js";

const DRAGGED = "li[draggable]";

/**
 * Lets the reader put what is listed in a box into another order: by dragging, or with Alt ← →.
 * Returns what finds the place of what is inside, and moves it by some places.
 * @param {any} box @param {(from: number, to: number) => void} put
 */
function sortable(box, put) {
	let dragged = -1;
	const place = (/** @type {any} */ inside, by = 0) => {
		const items = $$(DRAGGED, box);
		const at = items.indexOf(inside instanceof Element ? inside.closest(DRAGGED) : null);
		const to = within(0, items.length - 1, at + by);
		if (at >= 0 && to !== at) put(at, to);
		return at;
	};
	box.onkeydown = (/** @type {KeyboardEvent} */ event) => {
		const way = event.altKey && { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!way || place(event.target) < 0) return;
		event.preventDefault(); // Alt with an arrow is Back in many browsers
		place(event.target, way);
	};
	box.ondragstart = (/** @type {any} */ { target }) => (dragged = place(target));
	box.ondragover = (/** @type {Event} */ event) => dragged >= 0 && event.preventDefault();
	box.ondrop = (/** @type {any} */ event) => {
		event.preventDefault();
		const to = place(event.target);
		if (dragged >= 0 && to >= 0 && to !== dragged) put(dragged, to);
		dragged = -1;
	};
	return place;
}

/**
 * Another menu around the control that has the focus: a "0." that is put back is a "0".
 * @param {any} form @param {string} html @returns {any} what gets the focus where it cannot stay
 */
function renew(form, html) {
	const box = make("form");
	setHtml(box, html);
	const parts = [...box.childNodes];
	const kept = $(":is(label, #edit > button):focus-within", form);
	const place = parts.findIndex(
		({ control, textContent }) =>
			control?.name === kept?.control?.name && textContent === kept?.textContent,
	);
	if (place < 0) {
		form.replaceChildren(...parts);
		return $(kept?.control ? `[name="${kept.control.name}"]` : "select", form);
	}
	for (const one of [...form.childNodes]) if (one !== kept) one.remove();
	kept.before(...parts.slice(0, place));
	kept.after(...parts.slice(place + 1));
}

/** @param {AbortSignal} signal of the visit @param {Page} page */
export function edits(signal, page) {
	const [row, chips, form, menu] = [byId("edits"), byId("edited"), byId("edit"), $(".edit-field")];
	/** @type {Promise<any>} what the menu makes, as it was asked for last */ let made;
	/** @type {number} the chip that gets the focus when it has come */ let wanted = -1;
	/** @type {string | undefined} the token that gets the focus when the menu has come */ let held;

	/** @param {any[]} list */
	const put = (list) => page.set({ edits: list.length ? JSON.stringify(list) : "" });
	const place = sortable(chips, (from, to) => {
		wanted = to;
		put(moved(listed(page.state.edits), from, to));
	});

	/** @param {string} word @param {Question} question @param {Element} box says why none came */
	const asked = (word, question, box) =>
		ask(word, question, { signal }).catch((why) => {
			if (!signal.aborted) box.append(make("p", {}, `${why.message} ${why.remedy ?? ""}`));
			return {};
		});

	async function update() {
		const now = input(page.state);
		row.hidden = !isEdited(now);
		if (menu?.open) offer();
		if (row.hidden) return;
		const { html, predictions } = await asked("logits/edits", now, chips);
		if (!html || signal.aborted || query(input(page.state)) !== query(now)) return;
		setHtml(chips, html);
		byId("edited-prediction")?.replaceChildren(predictions[page.state.shows] ?? "");
		if (wanted >= 0) $("[data-remove]", $$(DRAGGED, chips)[wanted] ?? chips)?.focus();
		wanted = -1;
	}

	/** The menu as the reader's latest choices, or before them the page's own, leave it. */
	async function offer() {
		const fields = $$("[name]", form);
		const { kind, stack = "decoder", layer, head, query, key } = page.state;
		const part = { cross: "cross_attention", rows: "row_attention" }[kind] ?? "attention";
		const chosen = fields.length
			? Object.fromEntries(fields.map(({ name, value }) => [name, value]))
			: { of: kind && `${stack}.{}.${part}.z`, layer, head: Number(head) || 0, query, key };
		const mine = asked("logits/edit", { ...input(page.state), edits: "", ...chosen }, form);
		made = mine;
		const answer = await mine;
		if (made !== mine || !answer.html) return answer;
		const here = document.activeElement === document.body || menu.matches(":focus-within");
		const field = renew(form, answer.html);
		const token = held && $(`[data-at="${held}"] button`, form);
		if (here) (token ?? field)?.focus();
		held = undefined;
		return answer;
	}

	chips.onclick = (/** @type {any} */ { target }) => {
		const button = target.closest("button");
		const fields = button?.dataset.remove;
		if (fields) return page.set(emptied(fields.split(" ")));
		const at = place(button);
		if (at < 0) return;
		if (button.dataset.move) return place(button, Number(button.dataset.move));
		const list = listed(page.state.edits).toSpliced(at, 1);
		wanted = Math.min(at, list.length - 1);
		put(list);
	};
	$("[data-clear]", row).onclick = () => page.set(emptied(EDITS));
	if (menu) {
		form.addEventListener("drop", () => (menu.open = false)); // the figure is seen again
		sortable(form, (from, to) => {
			const places = $$(DRAGGED, form).map(({ dataset }) => dataset.at);
			held = places[from];
			page.set({ order: orderOf(moved(places, from, to)) });
		});
		menu.ontoggle = () => menu.open && offer();
		form.onchange = offer;
		form.onsubmit = async (/** @type {Event} */ event) => {
			event.preventDefault();
			const { edit, state } = await offer(); // of what was typed last
			if (!edit && !state) return;
			menu.open = false;
			if (state) page.set(state);
			else put([...listed(page.state.edits), edit]);
			$("summary", menu).focus();
		};
	}
	subscribe(update, signal);
	update();
}
