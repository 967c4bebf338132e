// Memory: the keys that fire strongest with what they write; beside them one key's words, its sentences, or slots of attention.

import { clinic, measured } from "../clinic.js";
import { number, visible } from "../draw/text.js";
import { oneOf } from "./beside.js";
import { fires, keys, slots, written } from "./memory-figures.js";

clinic({
  word: "memory",
  parameters: ["stack", "layer", "rank", "slots"],
  figures: {
    keys,
    beside: oneOf("beside", {
      written: { title: "What this value writes", draw: written },
      fires: { title: "Where this key fires", draw: fires },
      slots: { title: "Attention with persistent slots", draw: slots },
    }),
  },
  reading({ chosen, axes }, finding, { show, slots: n }) {
    if (show === "slots") return `${n} slots take ${number(100 * measured(finding("slot_weight")), 0)} % of the attention; each row still sums to 1.`;
    const words = axes.word.labels.slice(0, 3).map((/** @type {string} */ word) => `« ${visible(word)} »`).join(", ");
    return `Key ${chosen.neuron} fires up to ${number(chosen.firing, 2)} and writes ${words}. At a token ${number(100 * measured(finding("fires")), 1)} % of the keys fire.`;
  },
  findings: {
    sum_of_values: "FFN less the sum of its values", other_tokens: "Change when all other tokens do", other_tokens_in_attention: "The same in attention",
    fires: "Keys that fire at a token", fires_fresh: "The same, nothing learned", agreement: "Values that name the fitting word", agreement_shuffled: "The same by chance",
    slots_sum: "Rows over tokens and slots, less 1", no_slots: "No slots against plain attention", slot_weight: "Weight on the slots",
  },
});
