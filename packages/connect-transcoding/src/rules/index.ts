export { codeName } from "../errors/codes.js";
export { methodName } from "./field-path.js";
export * from "./http-rule.js";
export * from "./response-body.js";
export * from "./route-table.js";
