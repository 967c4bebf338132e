// Theme and presenter mode: the reader's own, kept on this machine, not part of a view's address.

import { $, $$, byId } from "./common.js";
import { presenting } from "./state.js";
import { announce } from "./status.js";

const THEMES = ["light", "dark", "projector"];
const root = document.documentElement;

/** @param {string} name @param {string} value */
function remember(name, value) {
	try {
		localStorage.setItem(name, value);
	} catch {
		// storage may be forbidden; the choice then lasts as long as the page
	}
}

/** The theme after this one. */
function theme() {
	const next = THEMES[(THEMES.indexOf(root.dataset.theme ?? "light") + 1) % THEMES.length];
	root.dataset.theme = next;
	remember("theme", next);
	announce(`${next} theme`);
}

/** Larger type and the figure alone, or back. */
function presenter() {
	remember("presenter", root.toggleAttribute("data-presenter") ? "on" : "off");
	byId("presenter").ariaPressed = String(presenting());
}

/** The next figure alone; after the last all of them again. */
function one() {
	const alone = $("[data-shown]");
	alone?.removeAttribute("data-shown");
	for (const around of $$("[data-alone]")) around.removeAttribute("data-alone");
	const seen = $$(".figure").filter((figure) => figure.checkVisibility());
	const next = seen[seen.indexOf(alone) + 1];
	next?.setAttribute("data-shown", "");
	for (let around = next?.parentElement; around?.closest(".figures"); around = around.parentElement)
		around.setAttribute("data-alone", "");
	announce(next ? $("h2", next).textContent : "all figures");
}

/** By what their keys mean. @type {Record<string, () => void>} */
export const LOOKS = { theme, presenter, one };
