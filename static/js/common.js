// What many scripts need: elements by their names, elements made, a number kept within bounds, and
// where an arrow key goes.

import { rooted } from "./address.js";

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/** @param {string} selector @param {ParentNode} [within] @returns {any[]} */
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** @param {string} selector @param {ParentNode} [within] @returns {any} the first, or null */
export const $ = (selector, within = document) => within.querySelector(selector);

/**
 * @param {string} tag @param {Open} [properties] @param {...(Node | string)} children
 * @returns {any}
 */
export function make(tag, properties = {}, ...children) {
	const element = Object.assign(document.createElement(tag), properties);
	element.append(...children);
	return element;
}

/**
 * Words in which the server explains terms of the field, with links to the glossary.
 * @param {Element} element @param {string} html
 */
export function setHtml(element, html) {
	element.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
	for (const link of $$("a", element)) link.href = rooted(link.getAttribute("href"));
}

/** A part of a drawing. @param {string} name @param {Open} attributes @param {string} [content] */
export function drawnPart(name, attributes, content = "") {
	const part = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const key in attributes) part.setAttribute(key, attributes[key]);
	part.textContent = content;
	return part;
}

/** Fields that are left out. @param {readonly string[]} names @returns {State} */
export const emptied = (names) => Object.fromEntries(names.map((name) => [name, ""]));

/** @param {number} least @param {number} most @param {number} value */
export const within = (least, most, value) => Math.max(least, Math.min(most, value));

/** Down and to the right. @type {Record<string, [number, number]>} */
export const STEPS = {
	ArrowUp: [-1, 0],
	ArrowDown: [1, 0],
	ArrowLeft: [0, -1],
	ArrowRight: [0, 1],
};

/** Keys that the browser or the system may mean otherwise. @param {KeyboardEvent} event */
export const isChord = ({ altKey, ctrlKey, metaKey }) => altKey || ctrlKey || metaKey;
