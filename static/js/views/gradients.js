// Gradients: at the last layer against depth, and on the way down.

import { clinic, measured } from "../clinic.js";
import { beside, last, reading } from "./gradients-figures.js";

clinic({
  word: "gradients",
  parameters: ["stack", "d_model"],
  figures: { last, beside },
  reading: (_, finding, { stack }) => reading(stack, measured(finding("first_over_last.post")), measured(finding("first_over_last.pre"))),
  findings: {
    "slope.post": "Slope in depth, Post-LN", "slope.pre": "Slope in depth, Pre-LN", "first_over_last.post": "First over last, Post-LN", "first_over_last.pre": "First over last, Pre-LN",
    "first_over_last.residual.post": "The same of the stream, Post-LN", "first_over_last.residual.pre": "The same of the stream, Pre-LN", "first_over_last.post.6": "First over last at 6 layers, Post-LN",
    "token_cosine.post": "Token cosine, Post-LN", "token_cosine.pre": "Token cosine, Pre-LN", "token_cosine.bare": "Token cosine, no shortcut",
    equation_5: "Wang’s equation 5, in turns", "equation_5.printed": "Equation 5 as printed", equation_6: "Wang’s equation 6", "equation_6.partial": "Equation 6, partial derivatives",
  },
});
