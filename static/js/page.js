// A page: the address is the state, controls are ordinary form elements named like its parameters,
// and the view (see visit.js) is a function of both.

import { given, isEdited, state as parse } from "./address.js";
import { options, refresh, render, show, shows, stages, end } from "./ask.js";
import { $, $$, byId } from "./common.js";
import {
	chose,
	corrected,
	defaults,
	example,
	isShown,
	leaveField,
	models,
	sync,
	typed,
} from "./controls.js";
import { listen } from "./keys.js";
import * as store from "./state.js";
import { announce, cancelled } from "./status.js";

let visit = new AbortController();
/** @type {(Promise<void> | undefined)[]} the code of edits, and of a second input */
let [editing, twins] = [];

/** @type {Page} what a view may do besides drawing */
const page = {
	get state() {
		return store.get();
	},
	set: store.set,
	options,
	refresh,
	shows,
	announce,
	example: () => store.card.examples.find(isShown),
};

/** @type {Visits["views"]} */
const views = (on) =>
	Promise.all($$("link[data-view]", on).map(async ({ href }) => (await import(href)).default));

async function begin() {
	[visit, editing, twins] = [new AbortController(), undefined, undefined];
	store.begin();
	end();
	const { signal } = visit;
	for (const begun of await views(document)) if (!signal.aborted) begun?.(signal);
}

/** A visit ends: nothing is asked or drawn any more, and nothing listens. */
function leave() {
	store.settle();
	end();
	visit.abort();
}

/**
 * The page of this address, in its place where visit.js is.
 * @param {string} [info] what gets the focus
 */
function again(info = "main") {
	document.body.dataset.state = "busy";
	(globalThis.navigation ?? location).reload({ info });
}

/** Another model is another page of the same name. @param {string} model */
async function switchModel(model) {
	store.settle();
	const { about } = await import("./other-model.js");
	history.pushState({ turned: true }, "", about(model));
	again('#input [name="model"]');
}

/**
 * Starts the page: reads the address, loads, draws, and follows what the reader does.
 * @param {View} view
 */
export function start(view) {
	const { signal } = visit;
	const { pathname } = location;
	const { card } = store;
	const { example: first } = document.body.dataset;
	store.open({
		...defaults(),
		...given(card.examples.find(({ id }) => id === first) ?? card.examples[0]),
	});
	show(view, page);
	store.subscribe(update, signal);
	const gone = corrected(); // in the address too
	store.apply(location.search, gone);
	document.addEventListener("input", typed, { signal });
	document.addEventListener("change", (event) => chose(event, switchModel), { signal });
	for (const form of $$("form:not([method])"))
		form.onsubmit = (/** @type {Event} */ event) => (event.preventDefault(), store.navigate(true));
	/** Back within this page, or to another or to this one about another model. */
	const back = () => {
		const model = parse(location.search).model ?? models().options[0].value;
		if (location.pathname === pathname && model === card.id) store.apply(location.search);
		else again();
	};
	addEventListener("popstate", back, { signal });
	$(".edit-field")?.addEventListener("toggle", edit, { once: true, signal });
	const second = $(".twin-field");
	second?.addEventListener("toggle", twin, { once: true, signal });
	second?.addEventListener("change", () => (second.open = false));
	if (history.state?.turned) models().focus();
	byId("examples").onchange = () => example(Number(byId("examples").value));
	for (const field of $$("[data-lines]"))
		import("./lines-typed.js").then(({ breakable }) => breakable(field));
	document.addEventListener("toggle", async () => (await import("./menus.js")).menus(signal), {
		capture: true,
		once: true,
		signal,
	});
	const up = (by = 0) => cancelled() || leaveField() || view.keys?.up?.(by);
	listen({ ...ACTIONS, ...view.keys, up }, signal);
	for (const button of $$(".bar [data-key]")) button.onclick = ACTIONS[button.dataset.key];
	const sizes = new ResizeObserver(() => requestAnimationFrame(render));
	for (const stage of stages()) sizes.observe(stage);
	signal.addEventListener("abort", () => sizes.disconnect());
}

/** Everything that follows from a new state. @param {{detail: boolean}} change */
function update({ detail: asks }) {
	sync();
	const now = store.get();
	if (isEdited(now)) edit();
	if (now.another) twin();
	byId("presenter").ariaPressed = Boolean(now.present);
	if (asks && (now.one || $("[data-shown]")))
		import("./appearance.js").then(({ alone }) => alone(now.one));
	if (asks) refresh();
}

function edit() {
	const { signal } = visit;
	if (byId("edits")) editing ??= import("./edits.js").then(({ edits }) => edits(signal, page));
}

function twin() {
	const { signal } = visit;
	if ($(".twin-field")) twins ??= import("./twin.js").then(({ twin }) => twin(signal));
}

/** @param {string} name */
const look = (name) => async () => {
	(await import("./appearance.js")).LOOKS[name]();
	render();
};

/** @type {Keys} */
const ACTIONS = {
	theme: look("theme"),
	presenter: look("presenter"),
	one: look("one"),
	help: () => byId("help").showModal(),
	find: () => $('[name="find"]').focus(),
	export: async () => (await import("./taking.js")).openExport(),
	example: (n) => example(n - 1),
};

// Plotly is kept from page to page, once it has come.
const swapping = async () => (await import("./visit.js")).swap({ begin, leave, views });
document.addEventListener("interactive", swapping, { once: true });
begin();
