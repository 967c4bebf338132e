// What an answer says in words, each in its place on the page.

/** @param {string} id */
export const by = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {Record<string, string>} facts by the id of the element that says it */
export function tell(facts) {
  for (const [id, said] of Object.entries(facts)) by(id).textContent = said;
}
