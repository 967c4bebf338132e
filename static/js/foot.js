// What stands under a figure. Its table and its files come when they are asked for.

import { apiAddress } from "./address.js";
import { $ } from "./common.js";
import { told } from "./words.js";

/** @type {WeakMap<HTMLElement, Shown>} */
const shown = new WeakMap();
const taking = () => import("./taking.js");

/**
 * Says everything about a figure that is not in its stage.
 * @param {HTMLElement} element @param {HTMLElement} stage @param {Shown} what
 */
export function describe(element, stage, what) {
	if (!shown.has(element))
		element.addEventListener("click", async (/** @type {any} */ { target }) => {
			const button = target.closest("[data-table], [data-export], [data-copy]");
			if (button) (await taking()).press(button, element, shown);
		});
	shown.set(element, { ...what, stage });
	const kind = what.kind ?? what.plotly?.layout.meta.kind ?? what.answer?.kind;
	const part = (name = "") => $(name, element);
	const badge = part("[data-badge]");
	if (kind) badge.textContent = told((badge.dataset.kind = kind));
	part("[data-shape]").textContent = what.shape ?? "";
	part("[data-get]").href = apiAddress(...what.call);
	if (!part(".table-wrap").hidden) taking().then(({ tabulate }) => tabulate(element, shown));
}
