export * from "./binary-writer.js";
export * from "./json-message.js";
export * from "./json-scalars.js";
export * from "./message-field.js";
export * from "./well-known-types.js";
