export * from "./comments.js";
export * from "./document.js";
export * from "./field-docs.js";
export * from "./open-api.js";
export type { Rejection } from "./responses.js";
