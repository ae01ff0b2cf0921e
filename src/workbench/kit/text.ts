export { fieldLabel, titleOf, valueLabel } from "../../text/labels.js";
export { sentenceOf } from "./sentence.js";
