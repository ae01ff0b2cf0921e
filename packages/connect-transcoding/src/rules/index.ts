export { codeName } from "../errors/code-name.js";
export * from "./http-rule.js";
export * from "./method-options.js";
export * from "./route-table.js";
