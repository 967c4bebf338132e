// The status line: what the machine is doing, once it takes longer than 300 ms, and what went wrong, in a sentence.

const PATIENCE = 300;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {string} sentence @param {{level?: "busy" | "error" | "quiet"}} [options] */
function show(sentence, { level = "quiet" } = {}) {
  const line = document.getElementById("status");
  if (!line) return;
  line.dataset.level = level;
  const text = line.querySelector("span");
  if (text) text.textContent = sentence;
  document.getElementById("progress")?.toggleAttribute("hidden", level !== "busy");
}

/** Says at once, or after 300 ms, that work is under way. @param {string} sentence @param {number} [after] */
export function busy(sentence, after = PATIENCE) {
  clearTimeout(timer);
  if (after) timer = setTimeout(() => show(sentence, { level: "busy" }), after);
  else show(sentence, { level: "busy" });
}

/** Nothing is under way; what is drawn may need a word. @param {string} [sentence] */
export function quiet(sentence = "") {
  clearTimeout(timer);
  show(sentence);
}

/** @param {string} sentence */
export function failed(sentence) {
  clearTimeout(timer);
  show(sentence, { level: "error" });
}

/** For ears: what the keyboard stands on. @param {string} sentence */
export function announce(sentence) {
  const live = document.getElementById("live");
  if (live) live.textContent = sentence;
}
