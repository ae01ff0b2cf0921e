export { codeName } from "../errors/codes.js";
export * from "../proto-options.js";
export * from "./input/descriptor-files.js";
export { readRules } from "./input/rules-document.js";
export * from "./route-table.js";
export * from "./rules/http-rule.js";
export type { HttpRules } from "./rules/http-rules.js";
export * from "./rules/parameter-texts.js";
export * from "./rules/request-limit.js";
