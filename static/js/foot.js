// What stands under a figure: its badge, its shape, the call that returns its numbers, its table,
// and what it can be taken along as. What most visits never ask for, tables and files, is fetched
// when it is asked for.

import { apiAddress } from "./address.js";
import { $, $$ } from "./common.js";

/** @type {WeakMap<HTMLElement, Shown>} */
const shown = new WeakMap();

/**
 * Says everything about a figure that is not in its stage.
 * @param {HTMLElement} element @param {HTMLElement} stage @param {Shown} what
 */
export function describe(element, stage, what) {
	if (!shown.has(element)) listen(element);
	shown.set(element, { ...what, stage });
	const kind = what.kind ?? what.plotly?.layout.meta?.kind ?? what.answer?.kind;
	const [badge, shape, get, wrap] = [
		"[data-badge]",
		"[data-shape]",
		"[data-get]",
		".table-wrap",
	].map((part) => $(part, element));
	if (badge && kind) badge.textContent = badge.dataset.kind = kind;
	if (shape) shape.textContent = what.shape ?? "";
	get?.setAttribute("href", apiAddress(...what.call));
	if (wrap && !wrap.hidden) tabulate(element, wrap);
}

/**
 * What is shown, as a table; a figure that has gone on to other numbers in the meantime has
 * asked again.
 * @param {HTMLElement} element @param {HTMLElement} wrap
 */
async function tabulate(element, wrap) {
	const what = /** @type {Shown} */ (shown.get(element));
	const [{ tableElement }, { tableOf }] = await Promise.all([
		import("./draw/table-text.js"),
		import("./figures/table.js"),
	]);
	const table = await tableOf(what);
	if (what === shown.get(element) && !wrap.hidden)
		wrap.replaceChildren(...(table ? [tableElement(table)] : []));
}

/** @param {HTMLElement} element */
function listen(element) {
	const [toggle, menu] = ["[data-table]", ".export"].map((part) => $(part, element));
	toggle?.addEventListener("click", () => {
		const wrap = $(".table-wrap", element);
		wrap.hidden = !wrap.hidden;
		toggle.ariaExpanded = String(!wrap.hidden);
		if (wrap.hidden) wrap.replaceChildren();
		else tabulate(element, wrap);
	});
	menu?.addEventListener("click", async (/** @type {any} */ { target }) => {
		const button = target.closest("button");
		if (!button) return;
		menu.open = false;
		const what = /** @type {Shown} */ (shown.get(element));
		const { copy, export: format } = button.dataset;
		if (copy) await (await import("./copying.js")).copy(copy, what, "closed" in button.dataset);
		else await (await import("./export.js")).save(format ?? "json", what, element.id);
	});
}

/** Opens the exports of the first figure in sight. */
export function openExport() {
	const inSight = $$(".figure").find((element) => element.getBoundingClientRect().bottom > 0);
	const menu = inSight && $(".export", inSight);
	if (!menu) return;
	menu.open = true;
	$("button", menu).focus();
}
