// Menus are <details class="menu">: Escape or a click elsewhere closes an open one.

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
				event.key === "Escape" && opened().find((one) => one.contains(document.activeElement));
			if (!menu) return;
			menu.open = false;
			menu.querySelector("summary")?.focus();
			event.preventDefault();
		},
		{ capture: true, signal },
	);
}

const opened = () =>
	/** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll(".menu[open]")]);
