// A question as an address: what the API is asked, what the page's own address says, what both
// leave out.

/**
 * What models read, each under its name. Words stand in an address as they are; an image or a row
 * also by the id of an example of the card.
 */
export const INPUT = Object.freeze(["source", "target", "text", "image", "row"]);
const WORDS = ["source", "target", "text"];

/** Changes of the run: edits, and how its input is read. */
export const EDITS = Object.freeze(["edits", "order", "positions", "pad", "padding_mask"]);
/** What figures show without being asked: not the run without changes, nor the difference. */
const OPENING = "edited";

/** Names that travel with the reader; `another` is an input beside the first. */
const TRAVELS = ["model", ...INPUT, ...EDITS, "another", "present"];

/** The run: what every question about one begins with. @param {State} all */
export const input = (all) =>
	Object.fromEntries(["model", ...INPUT, ...EDITS, "shows"].map((name) => [name, all[name]]));

/** Whether a run is changed. @param {Question} all */
export const isEdited = (all) => EDITS.some((name) => all[name]);

/** @param {Open} all @param {(name: string, value: any) => any} keep @returns {State} */
const kept = (all, keep) =>
	Object.fromEntries(Object.entries(all).filter(([name, value]) => keep(name, value)));

const EDITED = globalThis.document?.body?.dataset.edited?.split(" ") ?? [];

/**
 * What a word takes of a question: edits where it answers about edited runs, and what is shown of
 * them where it is drawn.
 * @param {string} word @param {Question} question @returns {Question}
 */
export function taken(word, { shows, ...question }, edited = EDITED) {
	const [own, form] = word.split("/");
	if (isEdited(question) && edited.includes(own))
		return { ...question, ...(form === "figures" && shows !== OPENING && { shows }) };
	return kept(question, (name) => !EDITS.includes(name));
}

/** An example in an address. @param {{id: string, input: Open}} example @returns {State} */
export const given = ({ id, input: of }) =>
	Object.fromEntries(
		Object.entries(of).map(([name, value]) => [name, WORDS.includes(name) ? value : id]),
	);

/** `?a=1&b=i+am+cold` in the order given, without what is empty. @param {Question} question */
export function query(question) {
	const text = `${new URLSearchParams(kept(question, (_, value) => (value ?? "") !== ""))}`;
	return text && `?${text}`;
}

/**
 * The API call of a question. A field that was emptied is sent as it is: an input that is left out
 * would be the example's.
 * @param {string} word @param {Question} question
 */
export function apiAddress(word, question) {
	const own = taken(word, question);
	const empty = INPUT.some((name) => own[name])
		? []
		: ["source", "text"].filter((name) => own[name] === "");
	const words = [query(own).slice(1), ...empty.map((name) => `${name}=`)].filter(Boolean);
	return rooted(`/api/v1/${word}${words.length ? `?${words.join("&")}` : ""}`);
}

/** Where a proxy serves this product: "" or for instance "/vitrine". */
const ROOT = (globalThis.document?.body?.dataset.root ?? "/").replace(/\/$/, "");

/** A path of this product as the browser must ask for it. @param {string} path */
export const rooted = (path) => ROOT + path;

/** The state written in an address. @param {string} search @returns {State} */
export const state = (search) => Object.fromEntries(new URLSearchParams(search));

/** The part of a state that goes along to another page. @param {State} all */
export const travelling = (all) =>
	Object.fromEntries(TRAVELS.filter((name) => all[name]).map((name) => [name, all[name]]));

/**
 * What must be written down: only what differs from the page's opening.
 * @param {State} all @param {State} opening
 */
export const changed = (all, opening) =>
	kept(all, (name, value) => value !== (opening[name] ?? ""));

/**
 * What no control says; the switches of figures have a dot.
 * @param {State} all @param {State} opening
 */
export const extra = (all, opening) =>
	kept(
		all,
		(name, value) =>
			value &&
			!(name in opening || EDITS.includes(name) || /\.|^(embed|theme|present|one)$/.test(name)),
	);

/**
 * A whole number out of an address, within bounds; the lower one for what is no number.
 * @param {string | undefined} text @param {number} low @param {number} high
 */
export const whole = (text, low, high) =>
	Math.max(low, Math.min(high, Math.round(Number(text)) || low));
