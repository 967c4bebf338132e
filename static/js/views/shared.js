// What views have in common: what is about the present choices, facts, a player.

import { $$, byId, make, within } from "../common.js";
import { say } from "../words.js";

/**
 * Shows what is about the present choices and hides what is about others. `{view: ["norm"]}` is
 * about every element with `data-view`, a list of words of which one is enough.
 * @param {Record<string, any[]>} now
 */
export function about(now) {
	const names = Object.keys(now);
	for (const part of $$(names.map((name) => `body [data-${name}]:not(link)`).join()))
		part.hidden = names.some((name) => {
			const words = part.dataset[name]?.split(" ");
			return words && !words.some((word = "") => now[name].includes(word));
		});
}

/** What was measured, with its law and whether it holds. @param {Fact[]} facts */
export const showFacts = (facts = []) =>
	byId("facts").replaceChildren(
		...facts.flatMap(({ term, value, law, holds }) => {
			const said = make("dd", { className: "number" }, value);
			said.dataset.holds = holds;
			return [make("dt", {}, term), said, make("dd", { className: "law small soft" }, law)];
		}),
	);

/**
 * The player of templates/_partials/player.html. `go` shows a place and, unless it plays, ends what
 * plays. @type {MakePlayer}
 */
export function player(signal, beat, show) {
	let [here, last] = [0, -1];
	/** @type {Timer} */ let playing;

	/** @param {boolean} on */
	function reveal(on) {
		byId("play").ariaPressed = String(on);
		byId("play").ariaLabel = on ? say("Pause") : say("Play");
	}
	function pause() {
		const was = playing !== undefined;
		clearInterval(playing);
		playing = undefined;
		reveal(false);
		return was;
	}
	/** @param {number} place @param {boolean} [plays] */
	function go(place, plays = false) {
		if (last < 0) return;
		if (!plays) pause();
		here = within(0, last, place);
		show(here, plays);
	}
	/** From here to the last place; from the first where this is the last. */
	function toggle() {
		if (pause() || last < 0) return;
		if (here === last) go(0, true);
		const next = () => document.body.dataset.state === "drawn" && go(here + 1, true);
		playing = setInterval(() => (here === last ? pause() : next()), beat);
		reveal(true);
	}

	byId("play").onclick = toggle;
	byId("back").onclick = () => go(here - 1);
	byId("forward").onclick = () => go(here + 1);
	// All steps of one grip are one entry of the history.
	let held = false;
	byId("place").oninput = () => {
		pause();
		go(Number(byId("place").value), held);
		held = true;
	};
	byId("place").onblur = () => (held = false);
	addEventListener("popstate", () => (held = false), { signal });
	const changed = (/** @type {any} */ { target }) =>
		target.matches("#input *, #controls *") && pause();
	document.addEventListener("input", changed, { signal });
	signal.addEventListener("abort", pause);

	return {
		go,
		pause,
		play: toggle,
		/** The place that is drawn, of how many, and what it is called. */
		at(place, count, name) {
			[here, last] = [place, count - 1];
			byId("count").textContent = name;
			Object.assign(byId("place"), { min: 0, max: last, value: here, ariaValueText: name });
			byId("back").disabled = here === 0;
			byId("forward").disabled = here === last;
		},
		step: (way) => go(here + way),
		end: (way) => go(way < 0 ? 0 : last),
	};
}

/** The choices of a list: as many numbers, from 0 on. @param {number} count */
export const numbers = (count) => [...Array(count).keys()].map(String);

/**
 * The parameters that one of these words takes, as the fields of the page say.
 * @param {string[]} words
 */
export const taken = (words) =>
	$$(".field[data-for] [name]")
		.filter((control) => {
			const takers = control.closest("[data-for]").dataset.for.split(" ");
			return words.some((word) => takers.includes(word));
		})
		.map(({ name }) => name);
