export * from "./binary/reader.js";
export * from "./binary/writer.js";
export * from "./json-writer.js";
export * from "./message-field.js";
export * from "./value-parser.js";
