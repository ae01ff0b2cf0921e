export { fieldDocsOf } from "../proto-options.js";
export { type Comments, commentOn, commentsOf, firstSentence } from "./comments.js";
export { type Documentation, openApiDocument, type ServerDescription } from "./document.js";
export { enumNames, jsonOf } from "./documentation.js";
export type { DocumentedError } from "./error-responses.js";
export type * from "./open-api.js";
export type { Direction } from "./schemas/google-annotations.js";
