export * from "./binary/reader.js";
export * from "./binary/writer.js";
export { jsonString } from "./json/data.js";
export { createJsonMessageReader, type JsonReadingOptions } from "./json/reader.js";
export * from "./json/writer.js";
export * from "./message-field.js";
export * from "./value-parser.js";
