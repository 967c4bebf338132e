// Dependency: who wrote the stream, at every depth, and how much of it the newest writer made.

import { clinic, measured } from "../clinic.js";
import { maps } from "./dependency-maps.js";
import { newest } from "./dependency-newest.js";

clinic({
  word: "dependency",
  parameters: ["placement", "layers", "d_model"],
  figures: { maps, newest },
  reading: (answer, finding) => {
    const [post, pre] = answer.tensors["dependency.all"].data.map((/** @type {number[]} */ shares) => shares[shares.length - 1].toFixed(2));
    return `The last sub-layer wrote ${post} of a Post-LN stream, ${pre} of a Pre-LN one; over all, Post is ${measured(finding("post_over_pre")).toFixed(1)} times Pre.`;
  },
  findings: {
    mean_dependency: "Mean dependency", "mean_dependency.post": "Mean, Post-LN", "mean_dependency.pre": "Mean, Pre-LN", "mean_dependency.admin": "Mean, Admin",
    post_over_pre: "Post over Pre", admin_from_pre: "Admin, farthest from Pre", omega: "Last omega", "omega.again": "Last omega, profiled again",
    independence: "Farthest from the product formula",
  },
});
