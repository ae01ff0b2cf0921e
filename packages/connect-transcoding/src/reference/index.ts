export { type ReferenceOptions, type ReferencePage, referencePage } from "./page.js";
export { referencePages } from "./pages.js";
