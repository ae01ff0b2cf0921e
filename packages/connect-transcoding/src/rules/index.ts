export { codeName } from "../errors/codes.js";
export * from "./http-rule.js";
export * from "./method-options.js";
export * from "./route-table.js";
