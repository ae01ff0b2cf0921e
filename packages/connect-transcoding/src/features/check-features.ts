import type { SharedOptions } from "../call/options.js";
import type { ApiInfo, Features } from "./options.js";

/** The check of a value, and what is allowed. */
type Check = readonly [isValid: (value: unknown) => boolean, allowed: string];

const isOf =
  (...types: readonly string[]) =>
  (value: unknown): boolean =>
    types.includes(typeof value) && value !== null;
const isFilled = (value: unknown): boolean => typeof value === "string" && value !== "";

const FILLED: Check = [isFilled, "a non-empty string"];
const SWITCH: Check = [isOf("boolean", "undefined"), "true or false"];

const FEATURES: Readonly<Record<keyof Features, Check>> = {
  openapi: [isOf("object", "undefined"), "an object with a title and a version"],
  docs: SWITCH,
  health: SWITCH,
  reflection: SWITCH,
  mcp: SWITCH,
};

const INFO: Readonly<Record<keyof ApiInfo, Check>> = {
  title: FILLED,
  version: FILLED,
  description: [isOf("string", "undefined"), "a string"],
  comments: [isOf("object", "function", "undefined"), "an object or a function"],
};

/**
 * Checks what the types of options say, for programs without types: a wrong value would fail at a request only, or switch something on.
 *
 * @throws TypeError that names the option and what is allowed
 */
export function checkFeatures(options: Pick<SharedOptions, "routes"> & Features): void {
  if (typeof options.routes !== "function") {
    throw new TypeError("the server needs routes; allowed: a function that takes a router");
  }
  checkEach("", options, FEATURES);
  if (options.openapi !== undefined) {
    checkEach("openapi.", options.openapi, INFO);
  }
}

function checkEach<Name extends string>(
  prefix: string,
  values: Readonly<Partial<Record<Name, unknown>>>,
  checks: Readonly<Record<Name, Check>>,
): void {
  for (const name of Object.keys(checks) as Name[]) {
    const [isValid, allowed] = checks[name];
    if (!isValid(values[name])) {
      throw new TypeError(`the option ${prefix}${name} is not valid; allowed: ${allowed}`);
    }
  }
}
