// How the page looks: its theme, presenter mode, and one figure alone.

import { $, $$, byId } from "./common.js";
import { get, replace, theme, turnTheme } from "./state.js";
import { announce } from "./status.js";
import { say } from "./words.js";

/** By the names of themes. @type {Record<string, string>} */
const THEMES = {
	light: say("light theme"),
	dark: say("dark theme"),
	projector: say("projector theme"),
};

/** One figure over the whole width; all of them without one. @param {string} [id] */
export function alone(id = "") {
	for (const { dataset } of $$("[data-shown], [data-alone]")) {
		delete dataset.shown;
		delete dataset.alone;
	}
	let around = byId(id);
	if (around) around.dataset.shown = "";
	while ((around = around?.parentElement)?.closest(".figures")) around.dataset.alone = "";
}

/** By what their keys mean. @type {Record<string, () => void>} */
export const LOOKS = {
	theme() {
		turnTheme();
		announce(THEMES[theme()]);
	},

	presenter() {
		replace({ ...get(), present: get().present ? "" : "1" });
		$(".view").open = false;
	},

	one() {
		const shown = $("[data-shown]");
		alone();
		const seen = $$(".figure").filter((figure) => figure.checkVisibility());
		const next = seen[seen.indexOf(shown) + 1];
		alone(next?.id);
		replace({ ...get(), one: next?.id ?? "" });
		announce(next ? $("h2", next).textContent : say("all figures"));
	},
};
