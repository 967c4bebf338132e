// Another scale of a figure, as the figure itself brings it: a control in its foot, and in the
// address what it says.

/** @typedef {import("./arrange.js").Figure} Figure */
/** @typedef {{name: string, data?: any, layout?: any}} Choice the first is what is drawn */
/** @typedef {{name: string, label: string, choices: Choice[]}} Switch */

/** @type {WeakMap<Figure, Map<string, Figure>>} a figure as it is asked for stays one figure */
const made = new WeakMap();

/**
 * The figure with the scales that the address asks for.
 * @param {HTMLElement} element @param {Figure} figure @returns {Figure}
 */
export function switched(element, figure) {
	const switches = /** @type {Switch[]} */ (figure.layout.meta?.switches ?? []);
	const fields = new URLSearchParams(location.search);
	const nameOf = (/** @type {Switch} */ { name }) => `${element.id}.${name}`;
	const chosen = switches.map(
		(one) => one.choices.find(({ name }) => name === fields.get(nameOf(one))) ?? one.choices[0],
	);
	offer(element, switches, chosen, nameOf);
	const others = chosen.filter((choice) => choice.data || choice.layout);
	if (!others.length) return figure;
	const key = others.map(({ name }) => name).join(" ");
	const known = made.get(figure) ?? new Map();
	made.set(figure, known);
	const make = () =>
		others.reduce((one, { data = {}, layout = {} }) => merged(one, { data, layout }), figure);
	if (!known.has(key)) known.set(key, make());
	return known.get(key);
}

/**
 * A control for each switch; the page follows it as every other control.
 * @param {HTMLElement} element @param {Switch[]} switches @param {Choice[]} chosen
 * @param {(one: Switch) => string} nameOf
 */
function offer(element, switches, chosen, nameOf) {
	const present = /** @type {HTMLSelectElement[]} */ ([...element.querySelectorAll(".switch")]);
	const same =
		present.length === switches.length &&
		switches.every(
			(one, i) =>
				present[i].name === nameOf(one) &&
				present[i].options[0].text === textOf(one, one.choices[0]),
		);
	const controls = same
		? present
		: switches.map((one) => {
				const control = document.createElement("select");
				control.append(
					...one.choices.map((choice, i) => new Option(textOf(one, choice), i ? choice.name : "")),
				);
				control.setAttribute("aria-label", one.label);
				control.dataset.control = "";
				return Object.assign(control, { className: "switch", name: nameOf(one) });
			});
	if (!same) {
		for (const control of present) control.remove();
		element.querySelector(".take")?.prepend(...controls);
	}
	for (const [i, { choices }] of switches.entries()) {
		controls[i].selectedIndex = choices.indexOf(chosen[i]);
	}
}

/** @param {Switch} one @param {Choice} choice */
const textOf = ({ name }, choice) => `${name}: ${choice.name}`;

/** A value with parts of it changed, by keys and by places. @param {any} value @param {any} patch @returns {any} */
function merged(value, patch) {
	if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
	const copy = Array.isArray(value) ? [...value] : { ...value };
	for (const [key, inner] of Object.entries(patch)) copy[key] = merged(copy[key], inner);
	return copy;
}
