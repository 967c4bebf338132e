// A question as an address: what the API is asked, what the page's own address says, what both leave out.

/** @typedef {Record<string, string | number | boolean | string[] | null | undefined>} Question */

/** Names of the input, which travel with the reader from page to page. */
export const TRAVELS = Object.freeze(["model", "source", "target", "text", "image", "row"]);

/**
 * `?a=1&b=i+am+cold` without what is empty; in the order given, so that the same question has the same address.
 * @param {Question} question
 */
export function query(question) {
  const pairs = Object.entries(question).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text ? `?${text}` : "";
}

/**
 * The API call of a question: also what "GET this" shows.
 * @param {string} word @param {Question} question
 */
export const apiAddress = (word, question) => `/api/v1/${word}${query(question)}`;

/**
 * The state written in an address.
 * @param {string} search
 * @returns {Record<string, string>}
 */
export const state = (search) => Object.fromEntries(new URLSearchParams(search));

/**
 * The part of a state that goes along to another page.
 * @param {Record<string, string>} all
 */
export const travelling = (all) => Object.fromEntries(TRAVELS.filter((name) => all[name]).map((name) => [name, all[name]]));

/**
 * What must be written down: only what differs from the page's opening.
 * @param {Record<string, string>} all @param {Record<string, string>} opening
 */
export const changed = (all, opening) => Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== (opening[name] ?? "")));
