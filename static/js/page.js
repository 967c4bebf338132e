// A page: the address is the state, controls are ordinary form elements named like its parameters,
// and the view is a function of both. What a view must be is written in visit.js.

import { ask } from "./api.js";
import {
	changed,
	extra,
	given,
	INPUT,
	isEdited,
	query,
	state as parse,
	travelling,
} from "./address.js";
import { all, by, make, one } from "./common.js";
import { openExport } from "./foot.js";
import { listen } from "./keys.js";
import { shown, told } from "./lines.js";
import { announce, busy, cancelled, failed, quiet } from "./status.js";

const TYPING = 250;
const NONE = Object.fromEntries(INPUT.map((name) => [name, ""]));
const TYPED = "input[type=text], input:not([type]), textarea";
const CHOSEN = "#controls :is(select, [type=hidden], [type=range])";

/** @type {Card} of the model that the page is about, as the server wrote it into the page */
export let card;

let visit = new AbortController();

/** @type {State} */ let opening = {};
/** @type {State} */ let now = {};
/** @type {View} */ let view;
/** @type {{answer: any, state: State} | undefined} what is drawn: an answer, and to which state */
let latest;
/** @type {AbortController | undefined} of what is asked */ let running;
/** @type {ReturnType<typeof setTimeout> | undefined} */ let typing;
/** @type {any} the slider that moves: all its steps are one entry of the history */ let moved;
/** @type {State} what was asked for that is not here, by its name */ let absent = {};
/** @type {Promise<void> | undefined} the code of edits, once there are some */ let editing;

/** @returns {HTMLInputElement[]} */
const controls = () => all("#input [name], #controls [name], [data-control][name]");
/** @returns {HTMLSelectElement} */
const models = () => one('#input [name="model"]');
/** @returns {HTMLElement[]} */
const stages = () => all(".stage");

/** @type {Page} what a view may do besides drawing */
export const page = {
	get state() {
		return now;
	},
	set,
	about,
	options,
	refresh,
	shows,
	announce,
	example: () => card.examples.find(isShown),
};

/**
 * The modules that a page names as its own.
 * @param {Document} on @returns {Promise<((signal: AbortSignal) => void)[]>}
 */
export const views = (on) =>
	Promise.all(all("link[data-view]", on).map(async ({ href }) => (await import(href)).default));

export async function begin() {
	[visit, latest, editing] = [new AbortController(), undefined, undefined];
	card = JSON.parse(by("card")?.textContent || "{}");
	const { signal } = visit;
	for (const begun of await views(document)) if (!signal.aborted) begun?.(signal);
}

/** A visit ends: nothing is asked or drawn any more, and nothing listens. */
export function leave() {
	clearTimeout(typing);
	running?.abort();
	latest = undefined;
	visit.abort();
}

/**
 * The page of this address, in its place where visit.js is.
 * @param {string} [info] what gets the focus
 */
function again(info = "main") {
	document.body.dataset.state = "busy";
	/** @type {any} */ (globalThis.navigation ?? location).reload({ info });
}

/**
 * Starts the page: reads the address, loads, draws, and follows what the reader does.
 * @param {View} chosen
 */
export function start(chosen) {
	view = chosen;
	const { signal } = visit;
	const { pathname } = location;
	opening = Object.fromEntries(
		controls()
			.filter((control) => control.type !== "radio" || control.checked)
			.map((control) => [control.name, read(control)]),
	);
	const { example: first } = document.body.dataset;
	Object.assign(opening, given(card.examples.find(({ id }) => id === first) ?? card.examples[0]));
	const asked = parse(location.search);
	const gone = Object.keys(asked).filter((name) => !choices(name).includes(asked[name]));
	absent = Object.fromEntries(gone.map((name) => [name, asked[name]]));
	for (const name of gone) asked[name] = nearest(choices(name), asked[name]) ?? "";
	if (gone.length) history.replaceState(history.state, "", location.pathname + query(asked));
	restore();
	document.addEventListener("input", typed, { signal });
	document.addEventListener("change", chose, { signal });
	for (const form of all("form:not([method])"))
		form.onsubmit = (/** @type {Event} */ event) => (event.preventDefault(), commit("push"));
	/** Back within this page, or to another or to this one about another model. */
	const back = () => {
		absent = {};
		const model = parse(location.search).model ?? models().options[0].value;
		if (location.pathname === pathname && model === card.id) restore();
		else again();
	};
	addEventListener("popstate", back, { signal });
	one(".edit-field")?.addEventListener("toggle", edit, { once: true, signal });
	if (history.state?.turned) models().focus();
	by("examples").onchange = () => example(Number(by("examples").value));
	for (const field of all("[data-lines]"))
		import("./lines-typed.js").then(({ breakable }) => breakable(field));
	document.addEventListener("toggle", async () => (await import("./menus.js")).menus(signal), {
		capture: true,
		once: true,
		signal,
	});
	const up = (/** @type {number} */ by) => cancelled() || leaveField() || view.keys?.up?.(by);
	listen({ ...ACTIONS, ...view.keys, up }, signal);
	for (const button of all(".tools [data-key]")) button.onclick = ACTIONS[button.dataset.key];
	tellPresenter();
	const sizes = new ResizeObserver(() => requestAnimationFrame(render));
	for (const stage of stages()) sizes.observe(stage);
	signal.addEventListener("abort", () => sizes.disconnect());
}

const sent = () =>
	Object.fromEntries(all("main form[method] [name]").map(({ name }) => [name, ""]));

/** Fields of the API that no control says. @param {State} state */
export const besides = (state) => extra(state, { ...sent(), ...opening });

/** @param {string[]} field */
const dropping = ([name, value]) =>
	make("button", {
		type: "button",
		className: "framed",
		textContent: `${name} = ${value}, ${by("besides").dataset.said} ×`,
		onclick: () => set({ [name]: "" }),
	});

const appearance = () => import("./appearance.js");
export const presenting = () => document.documentElement.hasAttribute("data-presenter");
const tellPresenter = () => (by("presenter").ariaPressed = String(presenting()));

/** @type {Record<string, (by: number) => void>} */
const ACTIONS = {
	theme: async () => {
		announce(`${(await appearance()).nextTheme()} theme`);
		render();
	},
	presenter: async () => {
		(await appearance()).togglePresenter();
		tellPresenter();
		render();
	},
	one: async () => {
		announce((await appearance()).nextFigure());
		render();
	},
	help: () => by("help").showModal(),
	export: openExport,
	example: (n) => example(n - 1),
};

/**
 * What may be chosen under a name, where the page knows it before it asks.
 * @param {string} name
 */
function choices(name) {
	const own = controls().filter((control) => control.name === name);
	const values = own.flatMap((/** @type {any} */ one) => {
		if (one.dataset.choices) return one.dataset.choices.split(" ");
		if (one.localName === "select") return [...one.options].map(({ value }) => value);
		return one.type === "radio" ? one.value : [];
	});
	return values.length > 1 ? values : [parse(location.search)[name]];
}

/** The number among choices that is nearest to another. @param {string[]} all @param {string} to */
function nearest(all, to) {
	const far = (/** @type {string} */ value) => Math.abs(Number(value) - Number(to));
	return all.filter((value) => value && far(value) >= 0).sort((a, b) => far(a) - far(b))[0];
}

/**
 * Of choices that a refusal says are not here, as a token of a longer sentence, the nearest that
 * are. What somebody types is not corrected.
 * @param {{errors?: any[]}} error @returns {State}
 */
const possible = ({ errors = [] }) =>
	Object.fromEntries(
		errors
			.filter(({ limit }) => Number.isInteger(limit))
			.map(({ pointer, code, limit }) => [
				pointer.replace(/\W/g, ""),
				`${limit - Number(code === "less_than")}`,
			])
			.filter(([name, limit]) => now[name] !== limit && one(`${CHOSEN}[name="${name}"]`)),
	);

/** Takes what is possible, and says so until something else is chosen. @param {State} choices */
function mend(choices) {
	for (const name in choices) absent[name] ??= now[name];
	now = { ...now, ...choices };
	record("replace");
}

/** What is drawn, which is the nearest to what the address says. @param {Question} drawn */
function shows(drawn) {
	const other = Object.entries(drawn).filter(
		([name, value]) => /^-?\d+$/.test(now[name]) && now[name] !== `${value}`,
	);
	if (latest?.state !== now || !other.length) return;
	mend(Object.fromEntries(other.map(([name, value]) => [name, `${value}`])));
	latest.state = now;
	reflect();
}

const instead = () =>
	Object.entries(absent).map(([name, given]) => {
		const what = one(`.field:has([name="${name}"]) span`)?.textContent ?? name;
		return `There is no ${what} ${given} here; ${what} ${now[name]} is shown instead.`;
	});

function leaveField() {
	const field = document.activeElement;
	if (!(field instanceof HTMLElement) || !field.matches(TYPED)) return false;
	field.blur();
	return true;
}

/** @param {HTMLInputElement} control */
const read = (control) =>
	control.type === "checkbox" ? (control.checked ? control.value : "") : told(control);

/** @param {HTMLInputElement} control @param {string} value */
function write(control, value) {
	if (["radio", "checkbox"].includes(control.type)) control.checked = control.value === value;
	else if (
		told(control) !== value && // "0." is told as "0"
		(control !== document.activeElement || !control.matches(TYPED))
	)
		control.value = shown(control, value);
	const output = control.closest("label")?.querySelector("output");
	if (output)
		output.textContent =
			"percent" in control.dataset ? `${Math.round(100 * Number(value))} %` : value;
}

/** @param {{target: any}} event */
function typed({ target: control }) {
	if (!controls().includes(control) || control.matches("select, [type=radio]")) return;
	now = { ...now, [control.name]: read(control) };
	write(control, now[control.name]);
	clearTimeout(typing);
	const slides = control.type === "range";
	const how = slides && moved !== control ? "push" : "replace";
	typing = setTimeout(() => (commit(how), (moved = control)), slides ? 30 : TYPING);
}

/** @param {{target: any}} event */
function chose({ target: control }) {
	if (!controls().includes(control) || (control.type === "radio" && !control.checked)) return;
	const value = read(control);
	if (control.type === "range") return; // each of its steps has been heard as it was made
	moved = null;
	if (control.matches(TYPED) && now[control.name] === value) return commit("replace");
	if (control === models()) turnTo(value);
	else set({ [control.name]: value });
}

/**
 * The address of this page about another model. The input goes along where that model reads its
 * kind, and an image where it is said alike; a sentence also from one field into the other. What
 * that model cannot read waits for one that can, and the page opens on the model's own. What is
 * one model's alone (`data-own`) stays behind.
 * @param {string} model
 */
function about(model) {
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
	if (takes ? sentence !== now[reads] : !alike)
		for (const name of INPUT) delete (/** @type {State} */ (kept)[name]);
	if (takes ? !fits(now.source ?? now.text) || !fits(now.another) : !alike)
		delete (/** @type {State} */ (kept).another);
	for (const { name } of all("[data-own]")) delete (/** @type {State} */ (kept)[name]);
	return location.pathname + query(takes && sentence ? { ...kept, [reads]: sentence } : kept);
}

/** Another model is another page of the same name. @param {string} model */
function turnTo(model) {
	clearTimeout(typing);
	history.pushState({ turned: true }, "", about(model));
	again('#input [name="model"]');
}

/** @param {number} index */
function example(index) {
	const chosen = card.examples[index];
	if (chosen) set({ ...NONE, ...given(chosen) });
}

/**
 * Changes the state: a choice becomes a place to go Back to; `push: false` replaces the present
 * one.
 * @param {State} changes @param {{push?: boolean}} [options]
 */
function set(changes, { push = true } = {}) {
	now = { ...now, ...changes };
	moved = null;
	commit(push ? "push" : "replace");
}

/** @param {"push" | "replace"} how */
function commit(how) {
	absent = {};
	record(how);
	follow();
}

/** @param {"push" | "replace"} how */
function record(how) {
	clearTimeout(typing);
	const travels = travelling(now);
	const address = location.pathname + query({ ...travels, ...changed(now, opening) });
	if (address !== location.pathname + location.search) history[`${how}State`](null, "", address);
}

/** An input that the model does not read is left out. */
function restore() {
	const asked = parse(location.search);
	for (const name of INPUT) if (!one(`#input [name="${name}"]`)) delete asked[name];
	now = { ...opening, ...asked };
	moved = null;
	if (asked.source && !asked.target) now.target = "";
	follow();
}

/** Edits are there, or about to be made. */
function edit() {
	const { signal } = visit;
	if (by("edits")) editing ??= import("./edits.js").then(({ edits }) => edits(signal));
}

/** Everything that follows from a new state: what the page says of it, and the question. */
function follow() {
	reflect();
	refresh();
}

/** What the page says of its state: controls, links to other rooms, who listens for "follow". */
function reflect() {
	for (const control of controls())
		if (now[control.name] !== undefined) write(control, now[control.name]);
	const travels = query(travelling(now));
	for (const link of all("a[data-travels]")) link.href = new URL(link.href).pathname + travels;
	by("examples").value = card.examples.findIndex(isShown);
	if (isEdited(now)) edit();
	document.dispatchEvent(new Event("follow"));
}

/** @param {Card["examples"][number]} example */
const isShown = (example) =>
	Object.entries(given(example)).every(([name, value]) => now[name] === value) &&
	(example.input.target || !now.target);

/**
 * Fills a select whose choices depend on the model. It shows what is drawn: the state's choice, or
 * the last where there is none of that name.
 * @param {string} name @param {(string | {value: string | number, label: string})[]} choices
 * @param {string} [drawn]
 */
function options(name, choices, drawn = now[name]) {
	/** @type {HTMLSelectElement | null} */
	const select = one(`select[name="${name}"]`);
	if (!select) return;
	const pairs = choices.map((choice) =>
		typeof choice === "string"
			? new Option(choice, choice)
			: new Option(choice.label, `${choice.value}`),
	);
	const said = (/** @type {HTMLOptionElement[]} */ all) =>
		all.map(({ value, text }) => `${value} ${text}`).join("\n");
	const same = said([...select.options]) === said(pairs);
	if (!same) select.replaceChildren(...pairs);
	if (drawn !== undefined) select.value = drawn;
	if (select.selectedIndex < 0) select.selectedIndex = pairs.length - 1;
	shows({ [name]: select.value });
	if (same) return;
	opening[name] ||= pairs[0]?.value ?? "";
}

async function refresh() {
	running?.abort();
	const mine = (running = new AbortController());
	const notify = (/** @type {string} */ sentence) => busy(sentence, 0);
	busy("Computing …");
	document.body.dataset.state = "busy";
	for (const stage of stages()) stage.setAttribute("aria-busy", "true");
	const state = now;
	const more = besides(state);
	by("besides").replaceChildren(...Object.entries(more).map(dropping));
	try {
		const notes = new Set();
		const options = { signal: mine.signal, notify, cancel };
		/** @type {Ask} */
		const asked = async (word, question = {}, how = ask) => {
			const own = word.startsWith(document.body.dataset.page ?? "");
			const answer = await how(word, own ? { ...more, ...question } : question, options);
			for (const note of answer.notes ?? []) notes.add(note);
			return answer;
		};
		const answer = await view.load(state, asked);
		if (mine.signal.aborted) return;
		latest = { answer, state };
		running = undefined;
		clearFailure();
		render();
		quiet([...instead(), ...notes].join(" "));
	} catch (error) {
		if (mine.signal.aborted) return;
		mine.abort(); // what else it asked
		const there = possible(/** @type {any} */ (error));
		if (!Object.keys(there).length) return fail(/** @type {any} */ (error));
		mend(there);
		follow();
	}
}

/** Ends what is under way; the page is again as it was drawn last. @param {Reason} why */
function cancel(why) {
	leaveField();
	running?.abort();
	running = undefined;
	if (!latest) return fail(why);
	now = latest.state;
	record("replace");
	reflect();
	render();
	quiet(`${why.message} ${why.remedy}`);
}

/**
 * Draws the latest answer, also after a resize, another theme, another selection. While another is
 * asked for, the page stays busy.
 */
function render() {
	if (!latest) return;
	view.draw(latest.answer, latest.state, page);
	if (running) return;
	for (const stage of stages()) stage.setAttribute("aria-busy", "false");
	document.body.dataset.state = "drawn";
	performance.mark("drawn");
}

/** @param {Reason} error */
function fail(error) {
	clearFailure();
	latest = undefined;
	document.body.dataset.state = "failed";
	const known = error.remedy !== undefined;
	const sentence = known ? error.message : "This page could not draw what came.";
	if (!known) console.error(error);
	for (const name of error.fields ?? [])
		one(`[name="${CSS.escape(name)}"]`)?.setAttribute("aria-invalid", "true");
	const stage = stages()[0];
	if (!stage) return failed(sentence);
	quiet();
	const failure = make(
		"div",
		{ className: "failure", role: "alert" },
		make("p", {}, sentence),
		make("p", { className: "soft small" }, error.remedy ?? ""),
		make("button", { type: "button", className: "framed button", onclick: refresh }, "Try again"),
	);
	stage.append(failure);
	for (const other of stages()) other.setAttribute("aria-busy", "false");
}

function clearFailure() {
	for (const box of all(".failure")) box.remove();
	for (const field of all("[aria-invalid]")) field.removeAttribute("aria-invalid");
}

begin();
