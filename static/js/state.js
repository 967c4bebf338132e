// The state of a page, which its address says, and the theme, which is kept on this machine.
// Whoever shows the state or asks something of it subscribes.

import { changed, query, state as parse, travelling } from "./address.js";
import { byId } from "./common.js";

const TYPING = 250;
const THEMES = ["light", "dark", "projector"];
const root = globalThis.document?.documentElement;

/** @type {Card} of the model that the page is about, as the server wrote it into the page */
export let card;
/** @type {State} what the page shows before anything is chosen */ export let opening = {};
/** @type {State} what was asked for that is not here, by its name */ export let absent = {};
/** @type {State} */ let now = {};
/** @type {Timer} */ let typing;
/** @type {any} the slider that moves: all its steps are one entry of the history */ let moved;

export const get = () => now;
export const theme = () => root.dataset.theme ?? THEMES[0];

/**
 * `detail` of a change says whether it asks for another answer.
 * @param {(change: any) => void} listener @param {AbortSignal} signal
 */
export const subscribe = (listener, signal) =>
	document.addEventListener("statechange", listener, { signal });

function publish(asks = false) {
	root.toggleAttribute("data-presenter", Boolean(now.present));
	document.dispatchEvent(new CustomEvent("statechange", { detail: asks }));
}

export function turnTheme() {
	root.dataset.theme = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
	try {
		localStorage.setItem("theme", theme());
	} catch {
		// storage may be forbidden; the choice then lasts as long as the page
	}
	publish();
}

export const begin = () => (card = JSON.parse(byId("card")?.textContent || "{}"));

/** @param {State} first */
export const open = (first) => (opening = first);

export const settle = () => clearTimeout(typing);

/** @param {string} search @param {State} [gone] what was asked for that is not here */
export function apply(search, gone = {}) {
	const asked = parse(search);
	now = { ...opening, ...asked };
	absent = gone;
	moved = null;
	if (asked.source && !asked.target) now.target = "";
	publish(true);
}

/**
 * Changes the state: a choice becomes a place to go Back to; `push: false` replaces the present
 * one.
 * @param {State} changes @param {{push?: boolean}} [options]
 */
export function set(changes, { push = true } = {}) {
	now = { ...now, ...changes };
	moved = null;
	navigate(push);
}

/**
 * What is typed or slides is the state at once, and is asked for when it rests.
 * @param {State} changes @param {HTMLInputElement} control
 */
export function setSoon(changes, control) {
	now = { ...now, ...changes };
	settle();
	const slides = control.type === "range";
	const push = slides && moved !== control;
	typing = setTimeout(() => (navigate(push), (moved = control)), slides ? 30 : TYPING);
}

export function navigate(push = false) {
	absent = {};
	pushUrl(push);
	publish(true);
}

/** In the place of the present one. @param {State} state */
export function replace(state, asks = false) {
	now = state;
	pushUrl();
	publish(asks);
}

/** Clamps the choices, and says so until something else is chosen. @param {State} choices */
export function coerce(choices, asks = false) {
	for (const name in choices) absent[name] ??= now[name];
	replace({ ...now, ...choices }, asks);
}

function pushUrl(push = false) {
	settle();
	const address = location.pathname + query({ ...travelling(now), ...changed(now, opening) });
	if (address !== location.pathname + location.search)
		history[push ? "pushState" : "replaceState"](null, "", address);
}
