export { fieldDocsOf } from "../rules/method-options.js";
export { type Documentation, openApiDocument, type ServerDescription } from "./document.js";
export {
  type Comments,
  commentOn,
  type Direction,
  enumNames,
  firstSentence,
  jsonOf,
} from "./documentation.js";
export type { Rejection } from "./error-responses.js";
export type * from "./open-api.js";
