// Going on to another page of the house. Once Plotly has come, what stands here is swapped, so that
// its script is evaluated once; without the Navigation API, and where anything is amiss, the
// browser loads the page as ever.
//
// A view is a module whose default export is called on every visit, once its page stands. It looks
// up its elements, keeps its state in itself and calls `start`. What it adds to the document or
// the window, its timers and its streams end with the signal that it is given. Variables of a
// module outlive a visit: they hold nothing of a page.

import { $, $$ } from "./common.js";
import { figures } from "./figures/show.js";
import { announce, busy } from "./status.js";
import { say } from "./words.js";

const OWN = new URL("page.js", import.meta.url).href;
const HEARD = 150; // ms until a new live region is listened to

/** @type {any} of the last navigation, of any kind */ let last;

/** Whether it is a page of the house, by its rooms. @param {URL} address */
const isPage = ({ pathname }) => $$(".rooms a").some((link) => link.pathname === pathname);

/** Whether the browser would leave this page for another, and need not. @param {any} event */
function swaps(event) {
	const { destination, info, navigationType } = event;
	const to = new URL(destination.url);
	if (!event.canIntercept || event.downloadRequest !== null || event.formData) return false;
	if (event.hashChange || !isPage(to)) return false;
	if (navigationType === "reload") return info !== undefined; // and says where the focus goes
	// What a page writes into its address is its own; so is going back in it.
	return (
		!destination.sameDocument ||
		(navigationType === "traverse" && to.pathname !== location.pathname)
	);
}

/** Goes on in this way from now on. @param {Visits} visits how page.js begins and ends one */
export function swap(visits) {
	globalThis.navigation?.addEventListener("navigate", (/** @type {any} */ event) => {
		last = event;
		if (!swaps(event)) return;
		visits.leave();
		document.body.dataset.state = "busy";
		busy(say("Opening …"));
		const handler = () => go(event, visits).catch(() => last === event && location.reload());
		event.intercept({ handler, focusReset: "manual", scroll: "manual" });
	});
}

/** @param {any} event @param {Visits} visits */
async function go(event, { begin, views }) {
	const response = await fetch(event.destination.url, { signal: event.signal });
	const next = new DOMParser().parseFromString(await response.text(), "text/html");
	const known = [...next.scripts].some(({ src }) => src === OWN);
	if (!response.ok || !known) throw new Error("To be loaded.");
	next.head.append(...$$("link", next.body));
	const [added, gone] = [without(next.head, document.head), without(document.head, next.head)];
	await Promise.all([views(next), ...added.map(arrived)]);
	event.signal.throwIfAborted();
	for (const one of gone) one.remove();
	for (const one of added) one.removeAttribute("media");
	document.body.replaceWith(next.body);
	dispose();
	event.scroll();
	if (response.redirected) history.replaceState(history.state, "", response.url);
	await begin();
	if (window !== top) return; // the page around it has the focus
	focus("[autofocus]");
	if (document.activeElement === document.body) focus(event.info ?? "main");
	const { title } = document; // whoever has gone on meanwhile hears the next one
	setTimeout(() => title === document.title && $("#live:empty") && announce(title), HEARD);
}

/** @param {string} where */
const focus = (where) => $(where)?.focus({ preventScroll: true });

/**
 * What one head has and another has not; scripts and what Plotly adds stay.
 * @param {Element} head @param {Element} other
 */
const without = (head, other) =>
	[...head.children].filter(
		(one) =>
			!one.matches("script, style") && ![...other.children].some((same) => same.isEqualNode(one)),
	);

/** Puts it into the head; a sheet of styles comes before it means anything. @param {Element} one */
async function arrived(one) {
	const sheet = one.matches("[rel=stylesheet]");
	if (sheet) one.setAttribute("media", "not all");
	document.head.append(one);
	if (sheet) await new Promise((done, stop) => Object.assign(one, { onload: done, onerror: stop }));
}

function dispose() {
	for (const [stage, { plot }] of figures) {
		if (stage.isConnected) continue;
		if (plot) Plotly.purge(plot);
		figures.delete(stage);
	}
}
