// The controls of a page: ordinary form elements named like the parameters of its state, which they
// show and change.

import { extra, given, INPUT, query, state as parse, travelling } from "./address.js";
import { $, $$, byId, emptied } from "./common.js";
import { card, get, navigate, opening, set, setSoon } from "./state.js";
import { quiet } from "./status.js";
import { say } from "./words.js";

const TYPED = "input[type=text], input:not([type]), textarea";

/** Shows a line break in a field of one line. */
export const SIGN = "⏎";

/** Whether line breaks mean something to who reads the field. @param {HTMLElement} field */
const broken = (field) => "lines" in field.dataset;

/** What a field says. @param {HTMLInputElement} field */
export const textOf = (field) => (broken(field) ? field.value.replaceAll(SIGN, "\n") : field.value);

/** How a field shows a text. @param {HTMLElement} field @param {string} text */
export const shown = (field, text) => (broken(field) ? text.replaceAll("\n", SIGN) : text);

/** @returns {HTMLInputElement[]} */
const controls = () => $$("#input [name], #controls [name], [data-control][name]");
/** @returns {HTMLSelectElement} */
export const models = () => $('#input [name="model"]');

/** What the controls say before anything is chosen. @returns {State} */
export const defaults = () =>
	Object.fromEntries(
		controls()
			.filter((control) => control.type !== "radio" || control.checked)
			.map((control) => [control.name, read(control)]),
	);

/** Fields of the API that no control says. @param {State} state */
export function besides(state) {
	const sent = $$("main form[method] [name]").map(({ name }) => name);
	return extra(state, { ...emptied(sent), ...opening });
}

/** What may be chosen, where the page knows it before it asks. @param {string} name */
function choices(name) {
	const own = controls().filter((control) => control.name === name);
	if (INPUT.includes(name) && !own.length) return [];
	const values = own.flatMap((/** @type {any} */ one) => {
		if (one.dataset.choices) return one.dataset.choices.split(" ");
		if (one.localName === "select") return [...one.options].map(({ value }) => value);
		return one.type === "radio" ? one.value : [];
	});
	return values.length > 1 ? values : [parse(location.search)[name]];
}

/** The number among choices that is nearest to another. @param {string[]} all @param {string} to */
function nearest(all, to) {
	const far = (value = "") => Math.abs(Number(value) - Number(to));
	return all.filter((value) => value && far(value) >= 0).sort((a, b) => far(a) - far(b))[0];
}

/** Corrects the address where it names what is not here. Returns what that was. */
export function corrected() {
	const asked = parse(location.search);
	const gone = Object.entries(asked).filter(([name, value]) => !choices(name).includes(value));
	for (const [name, value] of gone) asked[name] = nearest(choices(name), value) ?? "";
	if (gone.length) history.replaceState(history.state, "", location.pathname + query(asked));
	return Object.fromEntries(gone);
}

export function leaveField() {
	const field = document.activeElement;
	if (!(field instanceof HTMLElement) || !field.matches(`${TYPED}, [type=search]`)) return false;
	field.blur();
	return true;
}

/** @param {HTMLInputElement} control */
const read = (control) =>
	control.type === "checkbox" ? (control.checked ? control.value : "") : textOf(control);

/** @param {HTMLInputElement} control @param {string} value */
function write(control, value) {
	if (["radio", "checkbox"].includes(control.type)) control.checked = control.value === value;
	else if (
		textOf(control) !== value && // "0." is told as "0"
		(control !== document.activeElement || !control.matches(TYPED))
	)
		control.value = shown(control, value);
	if (control.matches(".wide > input"))
		// a text that is longer than its field
		control.title =
			control.scrollWidth > control.clientWidth ? value : (control.dataset.lines ?? "");
	const output = control.closest("label")?.querySelector("output");
	const n = Math.round(100 * Number(value));
	if (output) output.textContent = "percent" in control.dataset ? say("{n}%", { n }) : value;
}

/** @param {{target: any}} event */
export function typed({ target: control }) {
	if (!controls().includes(control) || control.matches("select, [type=radio]")) return;
	const value = read(control);
	setSoon({ [control.name]: value }, control);
	write(control, value);
}

/** @param {{target: any}} event @param {(model: string) => void} switchModel */
export function chose({ target: control }, switchModel) {
	if (!controls().includes(control) || (control.type === "radio" && !control.checked)) return;
	const value = read(control);
	const { locked, why, needs } = control.parentElement.dataset;
	if (locked && !needs) return (sync(), quiet(why));
	if (control.type === "range") return; // each of its steps has been heard as it was made
	if (control.matches(TYPED) && get()[control.name] === value) navigate();
	else if (control === models()) switchModel(value);
	else set({ ...(locked && parse(needs)), [control.name]: value });
}

/**
 * A choice that is not here says why when it is pointed at, and when it is made; one that `needs`
 * another brings it.
 * @param {HTMLInputElement} radio @param {boolean} here
 */
export function offer(radio, here) {
	const label = /** @type {HTMLElement} */ (radio.parentElement);
	const { why = "", needs, means = (label.dataset.means = label.title) } = label.dataset;
	label.title = here ? means : why;
	label.dataset.locked = here ? "" : "1";
	radio.ariaDisabled = String(!here && !needs);
}

/** @param {number} index */
export function example(index) {
	const chosen = card.examples[index];
	if (chosen) set({ ...emptied(INPUT), ...given(chosen) });
}

/** @param {Card["examples"][number]} example */
export function isShown(example) {
	const now = get();
	return (
		Object.entries(given(example)).every(([name, value]) => now[name] === value) &&
		(example.input.target || !now.target)
	);
}

export function sync() {
	const now = get();
	for (const control of controls())
		if (now[control.name] !== undefined) write(control, now[control.name]);
	const travels = query(travelling(now));
	for (const link of $$("a[data-travels]")) link.href = new URL(link.href).pathname + travels;
	byId("examples").value = card.examples.findIndex(isShown);
}
