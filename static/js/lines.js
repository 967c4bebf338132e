// Line breaks in a field of one line: shown as a sign, told as they are.

export const SIGN = "⏎";

/** Whether line breaks mean something to who reads the field. @param {HTMLElement} field */
const broken = (field) => "lines" in field.dataset;

/** What a field says. @param {HTMLInputElement} field */
export const told = (field) => (broken(field) ? field.value.replaceAll(SIGN, "\n") : field.value);

/** How a field shows a text. @param {HTMLElement} field @param {string} text */
export const shown = (field, text) => (broken(field) ? text.replaceAll("\n", SIGN) : text);
