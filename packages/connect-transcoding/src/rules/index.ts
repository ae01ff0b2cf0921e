export { codeName } from "../errors/codes.js";
export * from "./http-rule.js";
export type { HttpRules } from "./http-rules.js";
export * from "./method-options.js";
export * from "./route-table.js";
