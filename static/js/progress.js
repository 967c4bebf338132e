// How far a computation is, in the status line, beside a button that cancels it.

import { $, byId, make } from "./common.js";
import { follow } from "./following.js";
import { busy } from "./status.js";
import { say } from "./words.js";

const CANCELLED = say("You canceled the computation.");
const REMEDY = say("Choose smaller numbers, or try again.");

/** Asks, says how far the answer is and lets it be cancelled. @type {How} */
export const followed = (word, question, { cancel, ...options }) =>
	follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) });

/** @param {Progress} progress @param {(why: Reason) => void} cancel */
export function progress({ done = 0, of }, cancel) {
	const share = of && Math.floor((100 * done) / of);
	busy(of ? say("Computing … {share}% is done.", { share }) : say("Computing …"), 0);
	const line = byId("status");
	if (of) Object.assign($("progress", line), { max: of, value: done });
	if ($("button", line)) return;
	const why = Object.assign(new Error(CANCELLED), { remedy: REMEDY });
	const button = { type: "button", className: "framed", onclick: () => cancel(why) };
	line.append(make("button", button, `${say("Cancel")} `, make("kbd", {}, say("Esc"))));
}
