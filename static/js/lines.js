// Line breaks in a field of one line: shown as a sign, typed with Shift+Enter, told as they are.

const SIGN = "⏎";

/** Whether line breaks mean something to who reads the field. @param {HTMLElement} field */
const broken = (field) => "lines" in field.dataset;

/** What a field says. @param {HTMLInputElement} field */
export const told = (field) => (broken(field) ? field.value.replaceAll(SIGN, "\n") : field.value);

/** How a field shows a text. @param {HTMLElement} field @param {string} text */
export const shown = (field, text) => (broken(field) ? text.replaceAll("\n", SIGN) : text);

/** Shift+Enter, or a text with line breaks pasted. @param {HTMLInputElement} field */
export function breakable(field) {
  const put = (/** @type {Event} */ event, /** @type {string} */ text) => {
    event.preventDefault();
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  field.addEventListener("keydown", (event) => event.key === "Enter" && event.shiftKey && put(event, SIGN));
  field.addEventListener("paste", (event) => put(event, shown(field, event.clipboardData?.getData("text").replaceAll("\r\n", "\n") ?? "")));
}
