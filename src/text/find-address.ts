import { addressIn, isPublic, readWord } from "./address-in.js";
import { clientRank } from "./column-names.js";

/** Which of the addresses in a line is meant. `client`: that of a client if a field says so, then the first public one. */
export const PICKS = ["client", "first", "last", "all"] as const;
export type AddressPick = (typeof PICKS)[number];

/** An address in a line. */
interface Candidate {
  readonly text: string;
  readonly isPublic: boolean;
  /** As {@link clientRank} of the name before it. */
  readonly rank: number;
}

/**
 * Finds the addresses in a line of a log, a list of connections or JSON, in linear time. Ports, prefix lengths, zones, brackets and
 * quotation marks around an address are no part of it. A word that has more than an address, such as `8.8.8.8.8`, has none; nor have
 * versions (`Chrome/120.0.0.0`).
 *
 * @param fields the names of the fields of the line, from a `#Fields:` header (https://www.w3.org/TR/WD-logfile.html)
 */
export function findAddresses(
  line: string,
  pick: AddressPick,
  fields?: readonly string[],
): readonly string[] {
  const found = candidates(line, fields);
  const [first] = found;
  if (first === undefined) {
    return [];
  }
  switch (pick) {
    case "all":
      return found.map(({ text }) => text);
    case "first":
      return [first.text];
    case "last":
      return [(found.at(-1) ?? first).text];
    case "client": {
      const rank = found.reduce((most, each) => Math.max(most, each.rank), 0);
      const likely = found.filter((each) => each.rank === rank);
      return [(likely.find(({ isPublic }) => isPublic) ?? likely[0] ?? first).text];
    }
  }
}

/** A network: an address with a prefix length. */
const NETWORK = /^\s*[\da-f.:]+\/\d{1,3}\s*$/i;

/**
 * Creates a function that returns the addresses in the lines of one input, which are passed in order. A text that is meant as an address
 * is read by `addressIn`, and every other line by {@link findAddresses}. A line that begins with `#` has none, and can name the fields
 * of those after it.
 */
export function createAddressFinder(pick: AddressPick): (line: string) => readonly string[] {
  let fields: readonly string[] | undefined;
  return (line) => {
    if (line.startsWith("#")) {
      fields = readFieldNames(line) ?? fields;
      return [];
    }
    const address = addressIn(line);
    return address !== undefined ? [address] : NETWORK.test(line) ? [] : findAddresses(line, pick, fields);
  };
}

/** Whether a character, by its code, belongs to the same word as an address beside it. */
const IS_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w.:%-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/** The longest word that can have an address, in characters. */
const MAX_WORD = 160;

function candidates(line: string, fields: readonly string[] | undefined): Candidate[] {
  const clues: number[] = [];
  // Four numbers, and eight groups or two colons.
  addClues(line, ".", 4, 3, clues);
  const dotted = clues.length;
  addClues(line, ":", 5, 7, clues);
  if (dotted > 0 && clues.length > dotted) {
    clues.sort((one, other) => one - other);
  }
  const found: Candidate[] = [];
  let end = 0;
  for (const clue of clues) {
    // A word is read once.
    if (clue < end) {
      continue;
    }
    let start = clue;
    while (start > end && IS_WORD[line.charCodeAt(start - 1)] === 1) {
      start--;
    }
    end = clue + 1;
    while (end < line.length && IS_WORD[line.charCodeAt(end)] === 1) {
      end++;
    }
    const candidate = end - start > MAX_WORD ? undefined : candidateAt(line, start, end, fields);
    if (candidate !== undefined) {
      found.push(candidate);
    }
  }
  return found;
}

/**
 * Adds the positions at which a separator has occurred `count` times in a row or more, each at most `most` characters after the one before, or
 * two colons stand together. To find separators is several times as fast as to read each character.
 */
function addClues(line: string, separator: "." | ":", most: number, count: number, clues: number[]): void {
  let before = -100;
  let length = 0;
  for (let at = line.indexOf(separator); at !== -1; at = line.indexOf(separator, at + 1)) {
    const distance = at - before;
    length = distance <= most ? length + 1 : 1;
    if (length >= count || (distance === 1 && separator === ":")) {
      clues.push(at);
    }
    before = at;
  }
}

function candidateAt(
  line: string,
  start: number,
  end: number,
  fields: readonly string[] | undefined,
): Candidate | undefined {
  const word = line.slice(start, end);
  const before = line[start - 1];
  let found = readWord(withoutPort6(line, before, word));
  let key = "";
  if (found === undefined) {
    const [, name = "", rest = ""] = /^([a-z][\w-]*):(.+)$/i.exec(word) ?? [];
    found = readWord(rest);
    key = name;
  }
  // `::` is an operator in many languages.
  const isOperator = !/\d/.test(word) && before !== "[";
  if (found === undefined || isOperator || (before === "/" && isVersion(line, start, found.hasPort))) {
    return undefined;
  }
  const rank = fields === undefined ? rankBefore(line, start, key) : rankOfField(line, start, fields);
  return rank === undefined ? undefined : { text: found.text, isPublic: isPublic(found.address), rank };
}

/** A port after an IPv6 address without brackets, as `netstat` shows it, is removed. */
function withoutPort6(line: string, before: string | undefined, word: string): string {
  return /^(?:tcp|udp)6/.test(line) && before !== "[" ? word.replace(/:(?:\d{1,5}|\*)?$/, "") : word;
}

/** Whether the word after a slash is the version of a product (RFC 9110, 10.1.5), or a network mask. */
function isVersion(line: string, start: number, hasPort: boolean): boolean {
  const before = line.slice(Math.max(0, start - 64), start - 1);
  return !hasPort && (/(?:^|[^\w./-])[a-z][\w-]*$/i.test(before) || /\d$/.test(before));
}

/** The rank of the name before an address; undefined if the name is that of a version. */
function rankBefore(line: string, start: number, key: string): number | undefined {
  if (start === 0 && key === "") {
    return 0;
  }
  const [, separator, first = "", last = ""] =
    NAME_BEFORE.exec(line.slice(Math.max(0, start - 64), start) + (key && `${key}:`)) ?? [];
  if (/version$|^ver$|^build$|^release$/i.test(last)) {
    return undefined;
  }
  // A parameter of a URL is what the client has sent.
  return separator === "?" || separator === "&" ? 0 : Math.max(clientRank(last), clientRank(first + last));
}

/** One or two words at the end of a text, with the punctuation that separates a name from its value. */
const NAME_BEFORE =
  /(^|[^\w])(?:([a-z][\w.-]{0,30})[ ])?([a-z][\w.()-]{0,30})\\?["']?[ \t]{0,2}[:=]?[ \t]{0,2}[\\"'[({<]{0,4}$/i;

/** The rank of the field of a line that has a position. */
function rankOfField(line: string, start: number, fields: readonly string[]): number {
  const before = line.slice(0, start);
  const index = before.split(before.includes("\t") ? "\t" : " ").length - 1;
  return clientRank(fields[index] ?? "");
}

/** Reads the names of fields from a `#Fields:` header of the W3C or of Zeek; undefined for other lines. */
function readFieldNames(line: string): readonly string[] | undefined {
  const [, names] = /^#fields:?[ \t]+(.*)$/i.exec(line) ?? [];
  return names?.trim().split(/[ \t]+/);
}
