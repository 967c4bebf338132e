// Theme and presenter mode: the reader's own, kept on this machine, not part of a view's address.

import { $, $$ } from "./common.js";

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

/** The theme after this one; returns its name. */
export function nextTheme() {
	const theme = THEMES[(THEMES.indexOf(root.dataset.theme ?? "light") + 1) % THEMES.length];
	root.dataset.theme = theme;
	remember("theme", theme);
	return theme;
}

/** Larger type and the figure alone, or back. */
export const togglePresenter = () =>
	remember("presenter", root.toggleAttribute("data-presenter") ? "on" : "off");

/** The next figure alone; after the last all of them again. Returns its title. */
export function nextFigure() {
	const alone = $("[data-shown]");
	alone?.removeAttribute("data-shown");
	const seen = $$(".figure").filter((figure) => figure.checkVisibility());
	const next = seen[seen.indexOf(alone) + 1];
	next?.setAttribute("data-shown", "");
	return next ? $("h2", next).textContent : "all figures";
}
