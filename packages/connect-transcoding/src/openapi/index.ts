export { fieldDocsOf } from "../proto-options.js";
export { type Comments, commentOn, commentsOf, firstSentence } from "./comments.js";
export { type Documentation, openApiDocument, type ServerDescription } from "./document.js";
export { enumNames, jsonOf } from "./documentation.js";
export { type DocumentsOptions, openApiDocuments } from "./documents.js";
export { createMessageSchema, type MessageSchema } from "./message-schema.js";
export type * from "./open-api.js";
export type { DocumentedError } from "./operations/error-responses.js";
export type { Direction } from "./schemas/google-annotations.js";
