/** A parsed JSON value. An integer beyond 2^53 is a bigint, because a number would lose digits. */
export type JsonData = null | boolean | number | bigint | string | JsonData[] | JsonDataObject;

/** A parsed JSON object. */
export interface JsonDataObject {
  [name: string]: JsonData;
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonData): value is JsonDataObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets a property of an object. Assigning to `__proto__` would replace the prototype. */
export function setMember<T>(object: Record<string, T>, name: string, value: T): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[name] = value;
  }
}

/** The index of the quote that closes the string of a JSON text opened at `start`. */
export function closingQuote(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) {
    end = json.indexOf('"', end + 1);
  }
  return end === -1 ? json.length : end;
}

/** Whether an odd number of backslashes precedes an index. */
function isEscaped(json: string, index: number): boolean {
  let start = index;
  while (json[start - 1] === "\\") {
    start -= 1;
  }
  return (index - start) % 2 === 1;
}

// Characters to escape: quotes, backslashes, control characters and, as in JSON.stringify, surrogates.
const TO_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;

/** Up to this many code units, a loop is faster than a regular expression. */
const MAX_LOOPED = 32;

/** Equals {@link jsonTextOf}, but is faster for a string without characters to escape. */
export function jsonString(value: string): string {
  return needsEscapes(value) ? jsonTextOf(value) : `"${value}"`;
}

/**
 * Equals JSON.stringify, except that half of a surrogate pair becomes U+FFFD, as in the binary format. The text of a protobuf message is
 * UTF-8, which cannot express it, and parsers of other languages reject its escape.
 */
export function jsonTextOf(value: unknown): string {
  const json = JSON.stringify(value);
  return json.includes("\\ud")
    ? JSON.stringify(value, (_name, each) => (typeof each === "string" ? wellFormed(each) : each))
    : json;
}

function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

function needsEscapes(value: string): boolean {
  if (value.length > MAX_LOOPED) {
    return TO_ESCAPE.test(value);
  }
  for (let index = 0; index < value.length; index++) {
    const unit = value.charCodeAt(index);
    if (unit < 0x20 || unit === 0x22 || unit === 0x5c || (unit & 0xf800) === 0xd800) {
      return true;
    }
  }
  return false;
}
