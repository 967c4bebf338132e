// Keyboard and clicker: a key means an intent; the page's view answers it, or the control that
// carries `data-key="<intent>"`.

import { $, $$, isChord, within } from "./common.js";
import { get } from "./state.js";

/** @type {Record<string, [string, number]>} */
const INTENTS = {
	ArrowLeft: ["step", -1],
	ArrowRight: ["step", 1],
	PageUp: ["step", -1],
	PageDown: ["step", 1],
	Home: ["end", -1],
	End: ["end", 1],
	ArrowUp: ["layer", -1],
	ArrowDown: ["layer", 1],
	"[": ["head", -1],
	"]": ["head", 1],
	r: ["predict", 1],
	h: ["turn", 1],
	" ": ["play", 1],
	Enter: ["open", 1],
	Escape: ["up", 1],
	f: ["presenter", 1],
	o: ["one", 1],
	t: ["theme", 1],
	s: ["export", 1],
	"?": ["help", 1],
	"/": ["find", 1],
};

/** What a key means, or null. @param {string} key @returns {[string, number] | null} */
export const intent = (key) =>
	/^[1-9]$/.test(key)
		? ["example", Number(key)]
		: (INTENTS[key] ?? INTENTS[key.toLowerCase()] ?? null);

/**
 * Keys that the focused element needs for itself.
 * @param {Element | null} element @param {string} key
 */
function takes(element, key) {
	if (!(element instanceof HTMLElement)) return false;
	if (element.closest("dialog[open]")) return true;
	if (
		element.matches(
			"textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=range])",
		)
	)
		return key !== "Escape";
	if (element.matches("input")) return key.startsWith("Arrow") || key === " ";
	if (element.matches(".table-wrap")) return /^(Arrow|Page|Home|End)/.test(key);
	return element.matches("button, a, summary") && (key === " " || key === "Enter");
}

/**
 * Moves an ordinary control by one: the next option, a step of a number, a click.
 * @param {HTMLElement} control @param {number} by
 */
function nudge(control, by) {
	if (control instanceof HTMLButtonElement) return control.click();
	const moved = (at = 0, /** @type {ArrayLike<any>} */ { length }) =>
		within(0, length - 1, at + by);
	if (control instanceof HTMLSelectElement)
		control.selectedIndex = moved(control.selectedIndex, control.options);
	else if (control instanceof HTMLInputElement && control.type === "radio") {
		const group = $$(`[name="${control.name}"]:enabled`).filter(
			({ parentElement }) => !parentElement.dataset.locked,
		);
		const chosen = group.findIndex(({ checked }) => checked);
		group[moved(chosen, group)].checked = true;
	} else if (control instanceof HTMLInputElement) by > 0 ? control.stepUp() : control.stepDown();
	const heard = control.matches("[type=range]") ? "input" : "change";
	control.dispatchEvent(new Event(heard, { bubbles: true }));
}

/** @param {Keys} handlers the view's own and the page's @param {AbortSignal} signal ends them */
export function listen(handlers, signal) {
	/** @type {any} the control that a pointer was pressed on last */ let pressed;
	/** @type {any} a choice that the pointer made: the arrows stay the page's */ let made;
	const pointing = (/** @type {any} */ { type, target }) => {
		const control = target.closest("label")?.control ?? target;
		if (type === "pointerdown") [pressed, made] = [control, control.type === "radio" && control];
		else if (control === pressed) made = control;
	};
	for (const name of ["pointerdown", "change"])
		document.addEventListener(name, pointing, { signal });
	document.addEventListener(
		"keydown",
		(event) => {
			const at = /** @type {HTMLElement | null} */ (document.activeElement);
			if (event.key === "Tab") made = null;
			const free = at === made && event.key.startsWith("Arrow");
			if (event.defaultPrevented || isChord(event) || (!free && takes(at, event.key))) return;
			if (event.key === "Escape" && at?.closest("dfn")) return at.blur(); // its tip closes
			if (event.key === "Escape" && $(":popover-open")) return; // and so does a sheet
			const meant = intent(event.key);
			if (!meant) return;
			const [what, by] = meant;
			const control = $(`[data-key~="${what}"]`);
			const [own, before] = [handlers[what], JSON.stringify(get())];
			const moved = own ? own(by) : control && nudge(control, by);
			const stays = what === "step" && !moved && before === JSON.stringify(get());
			// in a hall the course goes on
			const next = stays && get().present && $(by < 0 ? "[rel=prev]" : "[rel=next]");
			if (next) next.click();
			else if (!own && !control) return;
			event.preventDefault();
		},
		{ signal },
	);
}
