export { codeName } from "../errors/code-name.js";
export { methodName } from "./field-path.js";
export * from "./http-rule.js";
export * from "./response-body.js";
export * from "./route-table.js";
