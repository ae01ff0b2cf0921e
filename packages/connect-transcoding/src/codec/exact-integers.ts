import { closingQuote, type JsonData, type JsonDataObject, setMember } from "./json/data.js";

/** No integer type of protobuf has values beyond this one. */
const MAX_INTEGER = 2 ** 64;

/**
 * Parses a valid JSON text like JSON.parse, except that an integer beyond 2^53 is a bigint with all of its digits. It does
 * not recurse, so any nesting is safe, but it is slower than JSON.parse.
 */
export function parseExactIntegers(json: string): JsonData {
  let root: JsonData = null;
  const enclosing: (JsonData[] | JsonDataObject)[] = [];
  /** The name of the next member of the innermost object. */
  let name: string | undefined;

  const add = (value: JsonData): void => {
    const parent = enclosing.at(-1);
    if (parent === undefined) {
      root = value;
    } else if (Array.isArray(parent)) {
      parent.push(value);
    } else {
      setMember(parent, name ?? "", value);
      name = undefined;
    }
  };

  for (let index = 0; index < json.length; index++) {
    switch (json[index]) {
      case "{":
      case "[": {
        const container = json[index] === "{" ? {} : [];
        add(container);
        enclosing.push(container);
        break;
      }
      case "}":
      case "]":
        enclosing.pop();
        break;
      case '"': {
        const end = closingQuote(json, index);
        const text: string = JSON.parse(json.slice(index, end + 1));
        index = end;
        if (name === undefined && !Array.isArray(enclosing.at(-1) ?? [])) {
          name = text;
        } else {
          add(text);
        }
        break;
      }
      case ",":
      case ":":
      case " ":
      case "\t":
      case "\r":
      case "\n":
        break;
      default: {
        const end = endOfLiteral(json, index);
        add(parseLiteral(json.slice(index, end)));
        index = end - 1;
      }
    }
  }
  return root;
}

/** The index after the number or the literal that begins at `start`: before a comma, a bracket or white space. */
function endOfLiteral(json: string, start: number): number {
  let end = start + 1;
  for (; end < json.length; end++) {
    const unit = json.charCodeAt(end);
    if (unit === 0x2c || unit === 0x5d || unit === 0x7d || unit <= 0x20) {
      break;
    }
  }
  return end;
}

/** A number, `true`, `false` or `null`. */
function parseLiteral(text: string): JsonData {
  const value = Number(text);
  if (Number.isNaN(value)) {
    return JSON.parse(text);
  }
  return hasAllDigits(value) || Math.abs(value) > MAX_INTEGER ? value : (integerOf(text) ?? value);
}

/** Whether a number is in the range in which numbers have all digits of an integer. */
export function hasAllDigits(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** A JSON number: sign, whole part, fraction and exponent. Numbers in text may have leading zeros. */
const DECIMAL = /^(-?)(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Whether a text is a decimal number. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** A text without a character at its end, however often. A regular expression for that takes time in proportion to the square of the length. */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) {
    end -= 1;
  }
  return text.slice(0, end);
}

/** The number of digits of an integer beyond the range of every type. */
const MANY_DIGITS = 400;

/** The exact integer of a decimal number; undefined for a fraction, and for a text that is not a number. */
export function integerOf(text: string): bigint | undefined {
  // The common case.
  if (/^-?\d{1,20}$/.test(text)) {
    return BigInt(text);
  }
  const match = DECIMAL.exec(text);
  if (match === null) {
    return undefined;
  }
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  // The digits without trailing zeros, and the position of the decimal point.
  const digits = withoutEnd(`${whole}${fraction}`, "0");
  if (/^0*$/.test(digits)) {
    return 0n;
  }
  const places = whole.length + Number(exponent);
  if (digits.length > places) {
    return undefined;
  }
  return BigInt(`${sign}${digits.padEnd(Math.min(places, MANY_DIGITS), "0")}`);
}
