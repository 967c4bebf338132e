// A figure's table, and what it is taken along as.

import { $, $$ } from "./common.js";
import { tableElement } from "./draw/table-text.js";
import { tableOf } from "./figures/table.js";

const tabled = new WeakMap(); // what stands in each table

/**
 * What is shown, as a table; a figure that has gone on to other numbers has asked again.
 * @param {HTMLElement} element @param {WeakMap<HTMLElement, Shown>} shown
 */
export async function tabulate(element, shown) {
	const what = /** @type {Shown} */ (shown.get(element));
	const wrap = $(".table-wrap", element);
	const { plotly = what } = what;
	if (wrap.firstChild && tabled.get(wrap) === plotly) return; // drawn in another size
	const table = await tableOf(what);
	if (what !== shown.get(element) || wrap.hidden) return;
	wrap.replaceChildren(...(table ? [tableElement(table)] : []));
	tabled.set(wrap, plotly);
}

/**
 * @param {HTMLElement} button @param {HTMLElement} element
 * @param {WeakMap<HTMLElement, Shown>} shown
 */
export async function press(button, element, shown) {
	const { copy, export: format } = button.dataset;
	$(".export", element).open = Boolean(copy);
	if (button.matches("[data-table]")) {
		const wrap = $(".table-wrap", element);
		wrap.hidden = !wrap.hidden;
		button.ariaExpanded = String(!wrap.hidden);
		if (wrap.hidden) wrap.replaceChildren();
		else tabulate(element, shown);
		return;
	}
	const what = /** @type {Shown} */ (shown.get(element));
	if (copy) await (await import("./copying.js")).copy(copy, what, $(".take", element));
	else await (await import("./export.js")).save(format ?? "json", what, element.id);
}

export function openExport() {
	const inSight = $$(".figure").find((element) => element.getBoundingClientRect().bottom > 0);
	const menu = inSight && $(".export", inSight);
	if (!menu) return;
	menu.open = true;
	$("[data-export]", menu).focus();
}
