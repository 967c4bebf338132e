// Scaling: one query's weights, unscaled over scaled, and beside them what many queries make of it.

import { clinic, measured } from "../clinic.js";
import { oneOf } from "./beside.js";
import { entropy, gradient, products, variance, weights } from "./scaling-figures.js";

const beside = oneOf("beside", {
  entropy: { title: "How soft the weights stay", draw: entropy },
  variance: { title: "How far the scores vary", draw: variance },
  gradient: { title: "How much gradient is left", draw: gradient },
  products: { title: "Products, over a normal curve of variance d", draw: products },
});

clinic({
  word: "scaling",
  parameters: ["d_head", "correlation"],
  figures: { weights, beside },
  reading(_, finding, { d_head }) {
    const [variance, unscaled, scaled] = ["variance_over_d_head", "entropy.unscaled", "entropy.scaled"].map((name) => measured(finding(name)).toFixed(2));
    return `d = ${d_head}: Var(q·k) = ${variance} d; entropy ${unscaled} unscaled, ${scaled} scaled.`;
  },
  findings: {
    variance_over_d_head: "Variance of q·k over d", variance_over_law: "Variance over (1 + c²) d", mean_over_sqrt_d_head: "Mean of q·k over √d",
    "entropy.unscaled": "Entropy, unscaled", "entropy.scaled": "Entropy, scaled", "entropy_slope.unscaled": "Its exponent in d, unscaled", "entropy_spread.scaled": "Its range over all d, scaled",
    "jacobian_median.unscaled": "Median gradient, unscaled", "jacobian_median.scaled": "Median gradient, scaled", "jacobian_mean.unscaled": "Mean gradient, unscaled",
  },
});
