// What needs no module of Node, for libraries that run on other runtimes as well.
export {
  CONNECTION_HEADERS,
  fieldParts,
  METHODS,
  readContentLength,
  transferCodingsOf,
  trimField,
} from "./core/field-values.js";
export {
  CALL,
  COSTLY_CALL,
  clientQueue,
  createQueue,
  plainAddress,
  type Queue,
  type Turns,
  turns,
  type Work,
} from "./core/turns.js";
export { knownOptions, type OptionNames, UnknownOptionError } from "./known-options.js";
