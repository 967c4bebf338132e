// How far a computation is, in the status line, beside a button that cancels it.

import { busy } from "./status.js";

const CANCELLED = "You have cancelled the computation.";
const REMEDY = "Choose smaller numbers, or ask again.";

/** @param {Progress} progress @param {(why: Reason) => void} cancel */
export function progress({ done = 0, of }, cancel) {
	busy(of ? `Computing … ${Math.floor((100 * done) / of)} % is done.` : "Computing …", 0);
	const line = document.getElementById("status");
	if (of) Object.assign(line?.querySelector("progress") ?? {}, { max: of, value: done });
	if (!line || line.querySelector("button")) return;
	const button = document.createElement("button");
	Object.assign(button, { type: "button", className: "framed" });
	const key = Object.assign(document.createElement("kbd"), { textContent: "Esc" });
	button.append("Cancel ", key);
	const why = Object.assign(new Error(CANCELLED), { remedy: REMEDY });
	button.addEventListener("click", () => cancel(why));
	line.append(button);
}
