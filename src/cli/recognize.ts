import type {
  CountryMatch,
  SearchCountriesResponse,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { Result } from "../failures/result.js";
import { canPrecedeCommand } from "../program-flags.js";
import { editDistance } from "../text/edit-distance.js";
import { kindOfInput, MAC_ADDRESS } from "../text/recognize-input.js";
import type { MethodCaller, NotCallable } from "./calls/calls.js";
import { createFindCode, searchForCountries } from "./calls/find-country.js";
import { addressesOf } from "./input/address-arguments.js";

/** Loads the countries; fails if their data cannot be loaded. */
export type OpenCountries = () => Promise<Result<MethodCaller, NotCallable>>;

/** What arguments without a command mean. */
export type Recognized =
  | { readonly kind: "command"; readonly args: readonly string[] }
  /** The problem repeats no argument that may be a secret. */
  | { readonly kind: "unknown"; readonly problem: string };

/** What is no command, and what to do with it, by its form. The texts repeat nothing, because a link can have a secret. */
const OTHER_INPUTS: readonly (readonly [form: RegExp, meaning: string])[] = [
  [
    /^[\d.]+\/\d+$|^[\da-f]*:[\da-f:.]*\/\d+$/i,
    "a network is an address and /0 to /32 for IPv4, /0 to /128 for IPv6",
  ],
  [MAC_ADDRESS, "the address of a network card has no place; geoip locates IP addresses"],
  [/^(?:https?|ftp|geo|mailto|tel|wifi):\S/i, "barcode draws a link as a QR code"],
  [/^\d{4}-\d\d-\d\d(?:T\S*)?$|^\d{1,2}[./]\d{1,2}[./]\d{4}$/, "no command takes a date"],
  [
    /^[+-]?\d{1,2}\.\d+°?[,; ] ?[+-]?\d{1,3}\.\d+°?$/,
    "no command takes coordinates; barcode geo:LATITUDE,LONGITUDE draws them as a QR code",
  ],
];

/** A host name, with or without a path. Short forms of countries are like it: `St.Lucia`. */
const HOST_NAME = /^(?:[\da-z][\da-z-]*\.)+[a-z]{2,}(?:[:/?#]\S*)?$/i;

/** What other programs call a command or a flag, and its name here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["version", "--version"],
  ["myip", "geoip self"],
  ["self", "geoip self"],
]);

/**
 * Finds the command for arguments that begin with an input: an IP address, the number of an autonomous system, an e-mail address, a secret or its key URI, or
 * something that exactly one search for countries finds. Arguments that begin with a command or a flag stay as they are.
 *
 * @param related returns the commands that a word is a part of, or that do something with it
 */
export async function recognizeInput(
  args: readonly string[],
  commands: readonly string[],
  openCountries: OpenCountries,
  related: (word: string) => Promise<readonly string[]>,
): Promise<Recognized> {
  const [first = ""] = args;
  if (canPrecedeCommand(first)) {
    return { kind: "unknown", problem: `${first} needs a command or an input: utility-tools 8.8.8.8 --json` };
  }
  if (first === "" || first.startsWith("-") || commands.includes(first)) {
    return { kind: "command", args };
  }
  const end = args.findIndex((arg) => arg.startsWith("-"));
  const words = end === -1 ? args : args.slice(0, end);
  const command = commandFor(words);
  if (command !== undefined) {
    return { kind: "command", args: [...command, ...args] };
  }
  const text = words.join(" ");
  if (kindOfInput(text) === "asn") {
    return { kind: "command", args: ["geoip", "asn", text, ...args.slice(words.length)] };
  }
  const [, meaning] = OTHER_INPUTS.find(([form]) => form.test(text)) ?? [];
  if (meaning !== undefined) {
    return notACommand(meaning);
  }
  const asCountry: Recognized = { kind: "command", args: ["country", text, ...args.slice(words.length)] };
  const call = await openCountries();
  if (call.ok && (await createFindCode(call.value)(text)) !== undefined) {
    return asCountry;
  }
  const found = call.ok ? await searchForCountries(call.value, text, 5) : undefined;
  const matches = [...(found?.matches ?? []), ...(found?.suggestions ?? [])];
  const { CountryMatch_Match } = await import("@utility-tools/protos/utilitytools/v1/countries_pb.js");
  if (matches.some(({ match }) => match === CountryMatch_Match.EXACT)) {
    return asCountry;
  }
  if (HOST_NAME.test(text)) {
    return notACommand("a host name is not looked up; geoip locates its IP addresses, which nslookup shows");
  }
  const nearest = nearestWord(first, [...commands, ...OTHER_NAMES.keys()]);
  const others = nearest === undefined ? await related(first) : [OTHER_NAMES.get(nearest) ?? nearest];
  const isNear = ({ match }: CountryMatch) =>
    match === CountryMatch_Match.SIMILAR || (match === CountryMatch_Match.START && text.length >= MIN_START);
  const similar = others.length === 0 ? similarCountry(matches.filter(isNear)) : undefined;
  const suggestion =
    similar === undefined
      ? others.join(" or ")
      : `country ${similar.includes(" ") ? `'${similar}'` : similar}`;
  return {
    kind: "unknown",
    problem: `unknown command${isPlainWord(first) ? `: ${first}` : ""}${
      suggestion === "" ? "" : ` (Did you mean ${suggestion}?)`
    }`,
  };
}

function notACommand(meaning: string): Recognized {
  return { kind: "unknown", problem: `unknown command (${meaning})` };
}

/** Whether a text is a short word without digits and capitals within it. Other texts may be secrets. */
function isPlainWord(text: string): boolean {
  return /^[A-Z]?[a-z-]{1,15}$/.test(text);
}

/** The command for inputs that can be told by their form. */
function commandFor(words: readonly string[]): readonly string[] | undefined {
  const kindOf = (word: string) => (addressesOf(word).includes(word) ? kindOfInput(word) : "ip");
  const [kind, ...others] = new Set(words.map(kindOf));
  if (kind === undefined || others.length > 0) {
    return undefined;
  }
  switch (kind) {
    case "ip":
      return ["geoip"];
    case "email":
      return words.length === 1 ? ["email", "explain"] : ["email"];
    case "secret":
      return ["otp", "code"];
    case "asn":
      return ["geoip", "asn"];
    case "text":
      return undefined;
  }
}

/** The shortest text whose continuation is a suggestion: many names start with fewer letters. */
const MIN_START = 4;

/** The country of which a text is nearly the name, in English if possible; undefined without any. */
function similarCountry(near: SearchCountriesResponse["matches"]): string | undefined {
  return (near.find(({ language }) => language === "en") ?? near[0])?.country?.name;
}

/** The word that differs in a few letters; undefined if none does. */
export function nearestWord(text: string, words: readonly string[]): string | undefined {
  const most = text.length < 6 ? 1 : 2;
  const near = words
    .map((word) => ({ word, edits: editDistance(text.toLowerCase(), word, most) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.word;
}
