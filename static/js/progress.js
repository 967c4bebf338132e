// How far a computation is, in the status line, beside a button that cancels it.

import { $, byId, make } from "./common.js";
import { follow } from "./following.js";
import { busy } from "./status.js";

const CANCELLED = "You have cancelled the computation.";
const REMEDY = "Choose smaller numbers, or ask again.";

/** Asks, says how far the answer is and lets it be cancelled. @type {How} */
export const followed = (word, question, { cancel, ...options }) =>
	follow(word, question, { ...options, onProgress: (how) => progress(how, cancel) });

/** @param {Progress} progress @param {(why: Reason) => void} cancel */
export function progress({ done = 0, of }, cancel) {
	busy(of ? `Computing … ${Math.floor((100 * done) / of)} % is done.` : "Computing …", 0);
	const line = byId("status");
	if (of) Object.assign($("progress", line), { max: of, value: done });
	if ($("button", line)) return;
	const why = Object.assign(new Error(CANCELLED), { remedy: REMEDY });
	const button = { type: "button", className: "framed", onclick: () => cancel(why) };
	line.append(make("button", button, "Cancel ", make("kbd", {}, "Esc")));
}
