// The address of this page about another model.

import { changed, INPUT, query, travelling } from "./address.js";
import { $$ } from "./common.js";
import { models } from "./controls.js";
import { card, get, opening } from "./state.js";

/** @type {About} */
export function about(model) {
	const now = get();
	/** @type {State} */
	const kept = { ...travelling(now), ...changed(now, opening), model };
	const [{ drawn }, { reads = "", drawn: other, takes }] = [card.id, model].map(
		(id) => [...models().options].find(({ value }) => value === id)?.dataset ?? {},
	);
	const own = [now.source, now.text].find(
		(text) => text && text !== opening.source && text !== opening.text,
	);
	if (own) sessionStorage.sentence = own;
	const fits = (/** @type {string | undefined} */ text) =>
		takes && text && RegExp(`^${takes}$`).test(text);
	const sentence = [own, sessionStorage.sentence, now[reads]].find(fits);
	const alike = now[reads] && drawn === other;
	if (takes ? sentence !== now[reads] : !alike) for (const name of INPUT) delete kept[name];
	if (takes ? !fits(now.source ?? now.text) || !fits(now.another) : !alike) delete kept.another;
	for (const { name } of $$("[data-own]")) delete kept[name];
	return location.pathname + query(takes && sentence ? { ...kept, [reads]: sentence } : kept);
}
