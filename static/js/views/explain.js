// The derivation panel: how one number came about, each number in it a step further back.
// The markup is templates/_partials/explain.html.

import { ApiError } from "../api.js";
import { apiAddress } from "../address.js";
import { tableElement } from "../draw/table-text.js";
import { number, visible } from "../draw/text.js";
import { isLeaf, ladder, member, question, read, same, upTo, write } from "./explain-trail.js";

export { write };

/** @typedef {import("./explain-trail.js").Place} Place */
/** @typedef {Record<string, any>} Answer of /explain */
/** @typedef {{trail: Place[], before: (Answer | null)[], sections: Answer[], input: Record<string, string>, refused?: string}} Steps */
/**
 * @typedef {object} Strip a vector as bars
 * @property {string} label @property {string} whose @property {string} name
 * @property {(number | null)[]} values @property {string[] | null} names of the members
 * @property {string} colour @property {number | null} own
 * @property {((i: number) => Place) | null} place one step further back, for every bar
 */

/** The colour that a tensor's numbers have on every page. @type {[RegExp, string][]} */
const QUANTITIES = [
	[/\.q$|\.query\./, "query"],
	[/\.k$|\.key\./, "key"],
	[/\.(v|z)$|\.value\./, "value"],
	[/\.embedding\.position$/, "position"],
	[/embedding\./, "embedding"],
	[/\.cross_attention\.(out|head_out)$/, "cross"],
	[/\.attention\.(out|head_out)$/, "attention"],
	[/\.feed_forward\./, "feed-forward"],
	[/\.residual\.|\.norm/, "stream"],
];

/** The name of its colour in tokens.css; "": blue and orange by sign. @param {string} name */
export const quantity = (name) => QUANTITIES.find(([pattern]) => pattern.test(name))?.[1] ?? "";

/** @param {number | null} value */
const spoken = (value) => (value === null ? "−∞" : number(value));
/** @param {number | null} value */
const exact = (value) => (value === null ? "−∞, hidden by the mask" : String(value));

/**
 * @param {string} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children
 * @returns {any}
 */
function make(tag, properties = {}, ...children) {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children);
	return element;
}

/** The trail in an address, when it starts at this number; else a new one from there. @param {string | undefined} text @param {Place} root */
export function rooted(text, root) {
	const trail = read(text);
	return trail.length && same(trail[0], root) ? trail : [root];
}

/**
 * Everything a trail needs, asked at once: the answers for its last number and, for the names in
 * the trail, those before it.
 * @param {Place[]} trail @param {(word: string, question: any) => Promise<any>} ask
 * @param {Record<string, string>} input model and text, as for every question about a run
 * @returns {Promise<Steps>}
 */
export async function derive(trail, ask, input) {
	const explained = (/** @type {Place} */ place) =>
		ask("explain", { ...input, ...question(place) });
	const end = trail[trail.length - 1];
	try {
		const [before, sections] = await Promise.all([
			Promise.all(trail.map((place) => (isLeaf(place.name) ? null : explained(place)))),
			Promise.all(isLeaf(end.name) ? [] : ladder(end).map(explained)),
		]);
		return { trail, before, sections, input };
	} catch (error) {
		if (!(error instanceof ApiError && [404, 422].includes(error.status))) throw error;
		return { trail, before: [], sections: [], input, refused: error.message };
	}
}

/** The vectors of an answer: its operands, and the steps that have a number for each member. @param {Answer} answer @returns {Strip[]} */
export function strips({ operands, intermediates, axes, own }) {
	const vectors = operands.filter(
		(/** @type {any} */ { values }) => Array.isArray(values) && !Array.isArray(values[0]),
	);
	const read = vectors.map((/** @type {any} */ operand) => ({
		label: operand.short,
		whose: operand.token === null ? operand.name : `of ${visible(operand.token)}`,
		name: operand.name,
		values: operand.values,
		names: operand.axis && axes[operand.axis].labels,
		colour: quantity(operand.name),
		own,
		place: (/** @type {number} */ i) => member(operand, i),
	}));
	const steps = intermediates.filter((/** @type {any} */ { values }) => Array.isArray(values));
	return [
		...read,
		...steps.map((/** @type {any} */ { name, formula, values }) => ({
			label: name,
			whose: formula,
			name: formula,
			values,
			names: read[0]?.names ?? null,
			colour: "",
			own,
			place: null,
		})),
	];
}

/** The value of a weight or a mask's cell, which has no derivation of its own, read from the answer that used it. @param {Answer | null | undefined} answer @param {Place} place */
export function leaf(answer, { name, at }) {
	for (const operand of answer?.operands ?? []) {
		if (operand.name !== name) continue;
		const axis = operand.index.findIndex((/** @type {any} */ i) => i === null || Array.isArray(i));
		const i = axis < 0 ? 0 : at[axis] - (operand.index[axis]?.[0] ?? 0);
		const { kind, short, values } = operand;
		if (member(operand, i).at.join() === at.join())
			return { kind, short, value: axis < 0 ? values : values[i] };
	}
	return null;
}

/** A number in words, for the trail: what it is, its index where no token tells it, and the token or tokens it belongs to. @param {Place} place @param {Answer | null} answer @param {string} [short] */
export function crumb({ name, at }, answer, short = name) {
	if (!answer) return `${short}[${at.join(", ")}]`;
	const { query, key, position = query } = answer.labels;
	if (key !== undefined) return `${visible(query)} → ${visible(key)} ${answer.short}`;
	const told = (/** @type {number} */ i) =>
		["position", "query"].includes(Object.keys(answer.roles)[i]);
	const index = position === undefined ? at : at.filter((_, i) => !told(i));
	const where = index.length ? `[${index.join(", ")}]` : "";
	return `${answer.short}${where}${position === undefined ? "" : ` of ${visible(position)}`}`;
}

/** The member the eye should go to first: this cell's own, else the largest of the last vector. @param {Answer} answer */
export function telling(answer) {
	const last = strips(answer).at(-1);
	if (!last) return 0;
	const size = last.values.map((value) => Math.abs(value ?? 0));
	return last.own ?? size.indexOf(Math.max(...size));
}

/** All numbers of a derivation as a table: a row for every member, then what was computed from them. @param {Answer} answer */
export function derivationTable(answer) {
	const all = strips(answer);
	const rows = (all[0]?.values ?? []).map((_, i) => [
		all[0].names?.[i] ?? String(i),
		...all.map(({ values }) => values[i] ?? null),
	]);
	const terms = answer.equations.flat().filter((/** @type {any} */ part) => "value" in part);
	const singles = new Map(terms.map((/** @type {any} */ { label, value }) => [label, value]));
	const under = [...singles].map(([label, value]) => [label, value, ...all.slice(1).map(() => "")]);
	const head = ["", ...(all.length ? all.map(({ label }) => label) : ["value"])];
	return {
		caption: `${answer.name}[${answer.at.join(", ")}]`,
		head,
		rows: /** @type {any} */ ([...rows, ...under]),
	};
}

/** The largest size in some vectors of one kind: the end of their common scale. @param {Strip[]} alike */
const reach = (alike) =>
	Math.max(...alike.flatMap(({ values }) => values.map((value) => Math.abs(value ?? 0)))) || 1;

/** @param {Strip} strip */
const positive = ({ values }) => values.every((value) => (value ?? 0) >= 0);

/**
 * @param {HTMLElement} element
 * @param {{go: (trail: Place[]) => void}} options `go`: show this trail instead; an empty one closes the panel
 */
export function panel(element, { go }) {
	const part = (/** @type {string} */ name) =>
		/** @type {any} */ (element.querySelector(`[data-part="${name}"]`));
	/** @type {Steps | null} */ let shown = null;

	part("up").addEventListener(
		"click",
		() => shown && go(upTo(shown.trail, shown.trail.length - 2)),
	);
	part("table").addEventListener("click", () => {
		part("numbers").hidden = !part("numbers").hidden;
		part("table").setAttribute("aria-expanded", String(!part("numbers").hidden));
		tables();
	});

	const tables = () =>
		part("numbers").replaceChildren(
			...(part("numbers").hidden ? [] : (shown?.sections ?? [])).map((answer) =>
				tableElement(derivationTable(answer)),
			),
		);
	const step = (/** @type {Place} */ place) => shown && go([...shown.trail, place]);
	const stops = () =>
		/** @type {HTMLElement[]} */ ([...element.querySelectorAll(".strip, .equation button")]);

	/** Builds the panel for a trail; an answer that is shown stays, so that nothing loses the focus. @param {Steps} next */
	function show(next) {
		if (next === shown) return;
		const focused = stops().indexOf(/** @type {HTMLElement} */ (document.activeElement));
		const moved = !shown || write(shown.trail) !== write(next.trail);
		shown = next;
		element.hidden = false;
		const { trail, before, sections, refused } = next;
		const end = trail[trail.length - 1];
		const ended = isLeaf(end.name) ? leaf(before.at(-2), end) : null;
		/** @type {HTMLElement} */ for (const words of element.querySelectorAll("[data-leaf]"))
			words.hidden = words.getAttribute("data-leaf") !== ended?.kind;
		part("trail").replaceChildren(...trail.map(crumbElement));
		const value =
			ended &&
			`${end.name}[${end.at.join(", ")}] = ${exact(ended.value)}${wordOf(end, before.at(-2))}`;
		part("steps").replaceChildren(
			...(value ? [make("p", { className: "leaf number", textContent: value })] : []),
			...(refused ? [make("p", { className: "leaf", textContent: refused })] : []),
			...sections.map(section),
		);
		const answer = sections.at(-1) ?? before.findLast(Boolean);
		part("get").href = apiAddress("explain", {
			...next.input,
			...question(/** @type {Place} */ (answer ?? end)),
		});
		if (answer)
			Object.assign(part("badge"), { textContent: answer.kind }).setAttribute(
				"data-kind",
				answer.kind,
			);
		tables();
		if (focused >= 0 && !moved) stops()[focused]?.focus();
	}

	/** @param {Place} place @param {number} i */
	function crumbElement(place, i) {
		const { trail, before } = /** @type {Steps} */ (shown);
		const used = leaf(before[i - 1], place);
		const value = (before[i] ?? used)?.value;
		const words = [
			make("span", { textContent: crumb(place, before[i], used?.short) }),
			make("b", { className: "number", textContent: value === undefined ? "" : spoken(value) }),
		];
		const button = make(
			"button",
			{ type: "button", title: `${place.name}[${place.at.join(", ")}]` },
			...words,
		);
		if (i === trail.length - 1) button.setAttribute("aria-current", "step");
		else button.addEventListener("click", () => go(upTo(trail, i)));
		return make("li", {}, button);
	}

	/** @param {Answer} answer */
	function section(answer) {
		const title = make(
			"h3",
			{},
			make("span", { className: "number", textContent: answer.written }),
			make("span", { className: "soft small", textContent: answer.sentence }),
		);
		const all = strips(answer);
		const first = telling(answer);
		const rows = all.map((strip) => {
			const limit = reach(
				all.filter(
					(other) =>
						Boolean(other.place) === Boolean(strip.place) && positive(other) === positive(strip),
				),
			);
			return stripElement(strip, limit, first);
		});
		return make(
			"section",
			{ className: "step" },
			title,
			...rows,
			...answer.equations.map(equation),
		);
	}

	/** A vector as bars: the arrow keys and the pointer choose one, Enter and a click go on to it. @param {Strip} strip @param {number} limit @param {number} chosen */
	function stripElement(strip, limit, chosen) {
		const { values, names, label, whose, name, place } = strip;
		const readout = make(place ? "button" : "span", { className: "term" });
		const slider = make("div", { className: "strip", tabIndex: 0 });
		const low = positive(strip) ? 0 : -limit;
		const told = (/** @type {number} */ i) => (names ? visible(names[i]) : String(i));
		slider.innerHTML = picture(strip, low, limit);
		slider.style.color = `var(--${strip.colour})`;
		slider.setAttribute("role", "slider");
		slider.setAttribute("aria-label", `${label}: ${name}`);
		slider.setAttribute("aria-valuemin", "0");
		slider.setAttribute("aria-valuemax", String(values.length - 1));
		slider.append(make("span", { className: "high", textContent: number(limit, 2) }));
		if (low) slider.append(make("span", { className: "low", textContent: number(low, 2) }));
		const open = () => place && step(place(chosen));
		const move = (/** @type {number} */ to) => {
			chosen = Math.max(0, Math.min(values.length - 1, to));
			slider.querySelector(".chosen").setAttribute("x", chosen);
			slider.setAttribute("aria-valuenow", chosen);
			slider.setAttribute("aria-valuetext", `${told(chosen)}: ${spoken(values[chosen])}`);
			readout.replaceChildren(
				make("span", { className: "soft small", textContent: `[${told(chosen)}]` }),
				make("b", {
					className: "number",
					textContent: spoken(values[chosen]),
					title: exact(values[chosen]),
				}),
			);
		};
		const at = (/** @type {MouseEvent} */ event) => {
			const { left, width } = slider.firstElementChild.getBoundingClientRect();
			return Math.floor(((event.clientX - left) / width) * values.length);
		};
		slider.addEventListener(
			"pointermove",
			(/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && move(at(event)),
		);
		slider.addEventListener("click", (/** @type {PointerEvent} */ event) => {
			const again = at(event) === chosen; // on a touch screen the first tap shows and the second opens
			move(at(event));
			if (event.pointerType === "mouse" || again) open();
		});
		slider.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
			const to = /** @type {Record<string, number>} */ ({
				ArrowLeft: chosen - 1,
				ArrowRight: chosen + 1,
				Home: 0,
				End: values.length - 1,
				PageUp: chosen - 10,
				PageDown: chosen + 10,
			})[event.key];
			const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (to !== undefined) move(to);
			else if (event.key === "Enter") open();
			else if (by) stops()[stops().indexOf(slider) + by]?.focus();
			else return;
			event.preventDefault();
		});
		if (place) Object.assign(readout, { type: "button" }).addEventListener("click", open);
		move(chosen);
		const title = make(
			"span",
			{ title: name },
			make("b", { className: "number", textContent: label }),
			make("span", { className: "soft small number", textContent: whose }),
		);
		return make("div", { className: "strip-row" }, make("p", {}, title, readout), slider);
	}

	/** @param {any[]} parts signs and terms */
	function equation(parts) {
		return make(
			"p",
			{ className: "equation" },
			...parts.map(({ sign, label, name, value, at, result }) => {
				if (sign) return make("span", { className: "sign", textContent: sign });
				const words = [
					make("span", { className: "soft small", textContent: label }),
					make("b", { className: "number", textContent: spoken(value), title: exact(value) }),
				];
				const where = at ? `${name}[${at.join(", ")}]` : name;
				const term = make(
					at ? "button" : "span",
					{ className: `term${result ? " result" : ""}`, title: where },
					...words,
				);
				if (at)
					Object.assign(term, { type: "button" }).addEventListener("click", () =>
						step({ name, at }),
					);
				return term;
			}),
		);
	}

	return {
		show,
		hide: () => {
			element.hidden = true;
			shown = null;
		},
		focus: () => (stops()[0] ?? part("up")).focus(),
	};
}

/** The bars of a vector, one unit wide each, on a scale from `low` to `high`. @param {Strip} strip @param {number} low @param {number} high */
export function picture({ values, names, colour, own }, low, high) {
	const bars = (/** @type {(value: number) => boolean} */ which) =>
		values
			.map((value, i) => (value === null || !which(value) ? "" : `M${i + 0.1} 0h.8V${-value}h-.8Z`))
			.join("");
	const n = values.length;
	const cell = (/** @type {string} */ name, /** @type {number} */ i) =>
		`<rect class="${name}" x="${i}" y="${-high}" width="1" height="${high - low}"/>`;
	const own_ = own === null ? "" : cell("own", own);
	const below =
		names && n <= 24
			? `<p>${names.map((name) => `<span>${escaped(visible(name))}</span>`).join("")}</p>`
			: "";
	return `<svg viewBox="0 ${-high} ${n} ${high - low}" preserveAspectRatio="none" aria-hidden="true">${cell("chosen", 0)}
    <path class="${colour ? "" : "above"}" d="${bars((value) => value >= 0)}"/><path class="${colour ? "" : "under"}" d="${bars((value) => value < 0)}"/><path class="zero" d="M0 0H${n}"/>${own_}</svg>${below}`;
}

/** @param {string} text */
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** Which token a row of the embedding belongs to. @param {Place} place @param {Answer | null | undefined} answer */
function wordOf({ name, at }, answer) {
	const axis = Object.values(answer?.axes ?? {}).find(({ ids }) => ids?.includes(at[0]));
	return name === "embedding.token" && axis
		? `, in the row of “${visible(axis.labels[axis.ids.indexOf(at[0])])}”`
		: "";
}
