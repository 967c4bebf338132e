// Menus are <details class="menu">: Escape or a click elsewhere closes an open one.

import { $, $$ } from "./common.js";

/** Follows every menu of the page. @param {AbortSignal} signal ends it */
export function menus(signal) {
	document.addEventListener(
		"click",
		({ target }) => {
			for (const menu of opened())
				if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
		},
		{ signal },
	);
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

/** @returns {HTMLDetailsElement[]} */
const opened = () => $$(".menu[open]");
