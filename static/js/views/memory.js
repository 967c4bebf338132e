// Memory: the keys that fire strongest with what they write; beside them one key's words, its sentences, slots of attention, or what remembering is worth.

import { clinic, measured } from "../clinic.js";
import { number, visible } from "../draw/text.js";
import { oneOf } from "./beside.js";
import { fires, keys, recurrence, slots, written } from "./memory-figures.js";

clinic({
  word: "memory",
  parameters: ["stack", "layer", "rank", "slots", "text"],
  question: (state) => (state.model === "shakespeare-xl" ? state : { ...state, text: "" }),
  figures: {
    keys,
    beside: oneOf("beside", {
      written: { title: "What this value writes", draw: written },
      fires: { title: "Where this key fires", draw: fires },
      slots: { title: "Attention with persistent slots", draw: slots },
      recurrence: { title: "What remembering is worth to shakespeare-xl", draw: recurrence },
    }),
  },
  reading({ chosen, axes, tensors }, finding, { show, slots: n }) {
    if (show === "recurrence") {
      const { data } = tensors.bits;
      return `Remembering nothing this text costs ${number(data[0], 2)} bits a character, at best ${number(Math.min(...data), 2)}. Of text held out memory saves ${number(measured(finding("saved")), 3)}.`;
    }
    if (show === "slots") return `${n} slots take ${number(100 * measured(finding("slot_weight")), 0)} % of the attention; each row still sums to 1.`;
    const words = axes.word.labels.slice(0, 3).map((/** @type {string} */ word) => `« ${visible(word)} »`).join(", ");
    return `Key ${chosen.neuron} fires up to ${number(chosen.firing, 2)} and writes ${words}. At a token ${number(100 * measured(finding("fires")), 1)} % of the keys fire.`;
  },
  findings: {
    sum_of_values: "FFN less the sum of its values", other_tokens: "Change when all other tokens do", other_tokens_in_attention: "The same in attention",
    fires: "Keys that fire at a token", fires_fresh: "The same, nothing learned", agreement: "Values that name the fitting word", agreement_shuffled: "The same by chance",
    saved: "What memory saves of text held out", cached: "All remembered, against the whole text at once", reach: "How far a segment reaches back",
    slots_sum: "Rows over tokens and slots, less 1", no_slots: "No slots against plain attention", slot_weight: "Weight on the slots",
  },
});
