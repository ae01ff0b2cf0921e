import type { FieldViolation } from "../../errors/errors.js";
import { CONFLICTING_VALUES } from "./message-binder.js";
import { type Parameter, textOf } from "./request-parameters.js";

/** What most requests have; shared, as they are read only. */
export const NO_VIOLATIONS: readonly FieldViolation[] = [];

/** The text of an object or array, which no selector or representation can have as its value. */
const NO_TEXT = "\0";

/** The parameters of a request that select a method or a representation. */
export interface Controls {
  readonly texts: ReadonlyMap<string, string>;
  readonly violations: readonly FieldViolation[];
}

const NO_CONTROLS: Controls = { texts: new Map(), violations: NO_VIOLATIONS };

/** Reads the parameters with these names. Two that differ are a violation. */
export function readControls(parameters: readonly Parameter[], controlNames: ReadonlySet<string>): Controls {
  if (controlNames.size === 0) {
    return NO_CONTROLS;
  }
  const texts = new Map<string, string>();
  const conflicting: string[] = [];
  for (const { name, value } of parameters) {
    if (value !== null && controlNames.has(name)) {
      const text = textOf(value) ?? NO_TEXT;
      const earlier = texts.get(name) ?? text;
      if (earlier !== text) {
        conflicting.push(name);
      }
      texts.set(name, earlier);
    }
  }
  if (conflicting.length === 0) {
    return { texts, violations: NO_VIOLATIONS };
  }
  return { texts, violations: [...new Set(conflicting)].map((field) => ({ field, ...CONFLICTING_VALUES })) };
}
