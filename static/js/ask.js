// What a page asks and draws: the answer to its state, or why there is none.

import { ask } from "./api.js";
import { $, $$, byId, make } from "./common.js";
import { besides, leaveField } from "./controls.js";
import { absent, coerce, get, opening, replace, set } from "./state.js";
import { busy, failed, quiet, showResult } from "./status.js";
import { say } from "./words.js";

/** @type {View} */ let view;
/** @type {Page} */ let page;
/** @type {{answer: any, state: State} | undefined} what is drawn: an answer, and to which state */
let latest;
/** @type {AbortController | undefined} of what is asked */ let running;

/** @returns {HTMLElement[]} */
export const stages = () => $$(".stage");

/** @param {View} chosen @param {Page} own */
export const show = (chosen, own) => ([view, page, latest] = [chosen, own, undefined]);

/** Nothing is asked or drawn any more. */
export function end() {
	running?.abort();
	running = latest = undefined;
}

/** What is drawn, which is the nearest to what the address says. @param {Question} drawn */
export function shows(drawn) {
	const now = get();
	const other = Object.entries(drawn).filter(
		([name, value]) => /^-?\d+$/.test(now[name]) && now[name] !== `${value}`,
	);
	if (latest?.state !== now || !other.length) return;
	coerce(Object.fromEntries(other.map(([name, value]) => [name, `${value}`])));
	latest.state = get();
}

/**
 * Fills a select whose choices depend on the model. It shows what is drawn: the state's choice, or
 * the last where there is none of that name.
 * @type {Page["options"]}
 */
export function options(name, choices, drawn = get()[name]) {
	const select = $(`select[name="${name}"]`);
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
	if (!same) opening[name] ||= pairs[0]?.value ?? "";
}

/** @param {string[]} field */
const dropping = ([name, value]) =>
	make("button", {
		type: "button",
		className: "framed",
		textContent: `${name} = ${value}, ${byId("besides").dataset.said} ×`,
		onclick: () => set({ [name]: "" }),
	});

const instead = () =>
	Object.entries(absent).map(([name, given]) => {
		const what = $(`.field:has([name="${name}"]) span`)?.textContent ?? name;
		const now = get()[name];
		return now === undefined
			? say("This model doesn’t take {name} as input, so you see an example.", { name })
			: say("There is no {what} {given} here; {what} {now} is shown.", { what, given, now });
	});

/** @param {{errors?: any[]}} error @returns {Promise<State>} */
const possible = async ({ errors }) =>
	errors?.length ? (await import("./possible.js")).possible(errors) : {};

export async function refresh() {
	running?.abort();
	const mine = (running = new AbortController());
	const notify = (sentence = "") => busy(sentence, 0);
	busy(say("Computing …"));
	document.body.dataset.state = "busy";
	for (const stage of stages()) stage.setAttribute("aria-busy", "true");
	const state = get();
	const more = besides(state);
	byId("besides").replaceChildren(...Object.entries(more).map(dropping));
	try {
		const notes = new Set();
		let result = {};
		const options = { signal: mine.signal, notify, cancel };
		/** @type {Ask} */
		const asked = async (word, question = {}, how = ask) => {
			const own = word.startsWith(document.body.dataset.page ?? "");
			const answer = await how(word, own ? { ...more, ...question } : question, options);
			// Numbers alone come in English; what is drawn of them says the same.
			const { figures, svg, notes: texts = [] } = answer;
			const read = figures ?? svg ?? document.documentElement.lang === "en";
			for (const note of read ? texts : []) notes.add(note);
			if (answer.prediction) result = answer;
			return answer;
		};
		const answer = await view.load(state, asked);
		if (mine.signal.aborted) return;
		latest = { answer, state };
		running = undefined;
		clearFailure();
		render();
		quiet([...instead(), ...showResult([...notes], result)].join(" "));
	} catch (error) {
		if (mine.signal.aborted) return;
		mine.abort(); // what else it asked
		const there = await possible(/** @type {any} */ (error)).catch(() => ({}));
		if (running !== mine) return;
		if (Object.keys(there).length) coerce(there, true);
		else fail(/** @type {any} */ (error));
	}
}

/** Ends what is under way; the page is again as it was drawn last. @param {Reason} why */
function cancel(why) {
	leaveField();
	running?.abort();
	running = undefined;
	if (!latest) return fail(why);
	replace(latest.state);
	render();
	quiet(`${why.message} ${why.remedy}`);
}

/**
 * Draws the latest answer, also after a resize, another theme, another selection. While another is
 * asked for, the page stays busy.
 */
export function render() {
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
	document.body.dataset.state = "failed";
	for (const said of $$(".said")) said.replaceChildren(); // it was of another question
	showResult([], {});
	const known = error.remedy !== undefined;
	const again = make("button", { className: "framed button", onclick: refresh }, say("Try again"));
	const sentence = known ? error.message : say("This page couldn’t draw the answer.");
	if (!known) console.error(error);
	for (const name of error.fields ?? [])
		$(`[name="${CSS.escape(name)}"]`)?.setAttribute("aria-invalid", "true");
	const stage = stages()[0];
	if (!stage) return failed(sentence);
	// What was drawn last stays, dimmed, and the reason stands at the input.
	const place = latest ? ($(".input-strip:not([hidden])") ?? $(".figures")) : stage;
	quiet();
	const reason = make("details", { className: "soft small", hidden: !error.why });
	reason.append(make("summary", {}, say("Why?")), error.why ?? "");
	const failure = make(
		"div",
		{ className: "failure", role: "alert" },
		make("p", {}, sentence),
		reason,
		make("p", { className: "soft small" }, error.remedy ?? ""),
		...(error.status === 422 ? [] : [again]), // it would be refused again
	);
	place.append(failure);
	for (const other of stages()) {
		other.inert = place !== stage;
		other.setAttribute("aria-busy", "false");
	}
}

function clearFailure() {
	for (const box of $$(".failure")) box.remove();
	for (const stage of stages()) stage.inert = false;
	for (const field of $$("[aria-invalid]")) field.removeAttribute("aria-invalid");
}
