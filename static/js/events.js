// Answers that come in pieces, as server-sent events.

import { apiAddress } from "./address.js";
import { ApiError, once, patiently } from "./api.js";

/** @typedef {import("./api.js").Options} Options @typedef {import("./address.js").Question} Question */

/**
 * An event stream: `onStep` is called with the data of every step, in order; resolves at the end.
 * @param {string} word @param {Question} question @param {Options & {onStep: (step: any) => void}} options
 */
export async function stream(word, question, { onStep, ...options }) {
  const headers = { Accept: "text/event-stream" };
  const response = await patiently(() => once(apiAddress(word, question), { signal: options.signal, headers }), options);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const { events, rest: unfinished } = parseEvents(rest + decoder.decode(value, { stream: !done }));
    rest = unfinished;
    for (const { event, data } of events) {
      if (event === "problem") throw new ApiError(data);
      if (event === "end") return;
      onStep(data);
    }
    if (done) return;
  }
}

/**
 * The finished events in a piece of an event stream, and what is left of it.
 * @param {string} text
 */
export function parseEvents(text) {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop() ?? "";
  const events = blocks.map(parseEvent).filter((event) => event !== null);
  return { events, rest };
}

/** @param {string} block */
function parseEvent(block) {
  const lines = block.split("\n").filter((line) => line && !line.startsWith(":"));
  const field = (/** @type {string} */ name) => lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).trimStart());
  const data = field("data").join("\n");
  return data ? { event: field("event")[0] ?? "message", data: JSON.parse(data) } : null;
}
