// How the page looks: its theme, presenter mode, and one figure alone.

import { $, $$, byId } from "./common.js";
import { presenting, theme, turnPresenter, turnTheme } from "./state.js";
import { announce } from "./status.js";

/** By what their keys mean. @type {Record<string, () => void>} */
export const LOOKS = {
	theme() {
		turnTheme();
		announce(`${theme()} theme`);
	},

	presenter() {
		turnPresenter();
		byId("presenter").ariaPressed = String(presenting());
	},

	/** The next figure alone; after the last all of them again. */
	one() {
		const alone = $("[data-shown]");
		alone?.removeAttribute("data-shown");
		for (const around of $$("[data-alone]")) around.removeAttribute("data-alone");
		const seen = $$(".figure").filter((figure) => figure.checkVisibility());
		const next = seen[seen.indexOf(alone) + 1];
		next?.setAttribute("data-shown", "");
		for (
			let around = next?.parentElement;
			around?.closest(".figures");
			around = around.parentElement
		)
			around.setAttribute("data-alone", "");
		announce(next ? $("h2", next).textContent : "all figures");
	},
};
