// Menus are <details class="menu">: Escape or a click elsewhere closes an open one.

import { rooted } from "./address.js";
import { $, $$ } from "./common.js";

const YEAR = 31536000; // seconds

/** Follows every menu of the page. @param {AbortSignal} signal ends it */
export function menus(signal) {
	/** @type {HTMLSelectElement | null} */ const languages = $("#language");
	// One may have been chosen while this script was on its way.
	if (languages && !languages.selectedOptions[0].defaultSelected) speak(languages);
	document.addEventListener(
		"click",
		({ target }) => {
			for (const menu of opened())
				if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
		},
		{ signal },
	);
	languages?.addEventListener("change", () => speak(languages), { signal });
	document.addEventListener(
		"keydown",
		(event) => {
			const menu =
				event.key === "Escape" && opened().find((menu) => menu.contains(document.activeElement));
			if (!menu) return;
			menu.open = false;
			$("summary", menu).focus();
			event.preventDefault();
		},
		{ capture: true, signal },
	);
}

/** From now on every page speaks the language chosen. @param {HTMLSelectElement} languages */
function speak({ value }) {
	const kept = `path=${rooted("/")}; max-age=${YEAR}; samesite=strict`;
	document.cookie = `vitrine_language=${value}; ${kept}`;
	location.reload();
}

/** @returns {HTMLDetailsElement[]} */
const opened = () => $$(".menu[open]");
