// A figure that came drawn, with what stands under it. It brings other scales of itself: a control in
// its foot, and in the address what that says.

import { $, $$, byId, make } from "../common.js";
import { describe } from "../foot.js";
import { show } from "./show.js";
import { say, told } from "../words.js";

/**
 * Shows a figure in its place on the page, under its own title; what it says `beside` itself stands
 * in the elements of these names. @type {ShowFigure}
 */
export function showFigure(element, served, what) {
	const plotly = switched(element, served);
	const stage = $(".stage", element);
	const { title, shape, axes = [], beside = {} } = plotly.layout.meta;
	const named = axes.some((name) => /[._]/.test(name)) ? [] : axes; // others are names of the API
	for (const [id, said] of Object.entries(beside)) byId(id).textContent = said;
	const heading = $("h2", element);
	if (heading && heading.textContent !== title) heading.textContent = title;
	const { pick = () => {}, point, enter, below } = what;
	show(stage, plotly, pick, { point, enter }, below);
	describe(element, stage, {
		...what,
		plotly,
		shape: shape ? `[${shape.join(", ")}] ${named.join(", ")}`.trimEnd() : "",
	});
}

/** @type {WeakMap<Figure, Record<string, Figure>>} a figure as it is asked for stays one figure */
const made = new WeakMap();

/**
 * The figure with the scales that the address asks for.
 * @param {HTMLElement} element @param {Figure} figure @returns {Figure}
 */
function switched(element, figure) {
	const switches = figure.layout.meta.switches ?? [];
	const fields = new URLSearchParams(location.search);
	const nameOf = (/** @type {Switch} */ { name }) => `${element.id}.${name}`;
	const chosen = switches.map(
		(one) => one.choices.find(({ name }) => name === fields.get(nameOf(one))) ?? one.choices[0],
	);
	offer(element, switches, chosen, nameOf);
	const others = chosen.filter((choice) => choice.data || choice.layout);
	if (!others.length) return figure;
	const key = others.map(({ name }) => name).join(" ");
	const known = made.get(figure) ?? {};
	made.set(figure, known);
	return (known[key] ??= others.reduce(
		(one, { data = {}, layout = {} }) => merged(one, { data, layout }),
		figure,
	));
}

/** A control for each switch. @type {OfferSwitches} */
function offer(element, switches, chosen, nameOf) {
	const present = $$(".switch", element);
	const controls = switches.map((one, i) => {
		const name = nameOf(one);
		const options = one.choices.map(
			(choice, n) =>
				new Option(
					say("{what}: {choice}", { what: told(one.name), choice: told(choice.name) }),
					n ? choice.name : "",
				),
		);
		const control = present.find((known) => known.name === name) ?? make("select");
		if (control.options[0]?.text !== options[0].text) control.replaceChildren(...options);
		Object.assign(control, { className: "switch", name, ariaLabel: told(one.label) });
		control.dataset.control = "";
		control.selectedIndex = one.choices.indexOf(chosen[i]);
		return control;
	});
	for (const control of present) if (!controls.includes(control)) control.remove();
	$(".take", element)?.prepend(...controls.filter(({ isConnected }) => !isConnected));
}

/**
 * A value with parts of it changed, by keys and by places.
 * @param {any} value @param {any} patch @returns {any}
 */
function merged(value, patch) {
	if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
	const copy = Array.isArray(value) ? [...value] : { ...value };
	for (const [key, inner] of Object.entries(patch)) copy[key] = merged(copy[key], inner);
	return copy;
}
