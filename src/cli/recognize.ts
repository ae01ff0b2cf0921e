import type { DescMethodUnary } from "@bufbuild/protobuf";
import { readError } from "@utility-tools/client";
import {
  CountriesService,
  CountryMatch_Match,
  type SearchCountriesResponse,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { MessageInit } from "connect-transcoding/codec";
import type { Result } from "../failures/result.js";
import { editDistance } from "../text/edit-distance.js";
import { kindOfInput } from "../text/recognize-input.js";
import type { NotCallable } from "./calls/calls.js";

/** Calls a method; fails if its data cannot be loaded. */
export type OpenCountries = () => Promise<
  Result<(method: DescMethodUnary, request: MessageInit) => Promise<MessageInit>, NotCallable>
>;

/** What arguments without a command mean. */
export type Recognized =
  | { readonly kind: "command"; readonly args: readonly string[] }
  /** The problem does not repeat the arguments, because one may be a secret. */
  | { readonly kind: "unknown"; readonly problem: string };

/**
 * Finds the command for arguments that begin with an input: an IP address, an e-mail address, a secret or its key URI, or
 * something that exactly one search for countries finds. Arguments that begin with a command or a flag stay as they are.
 */
export async function recognizeInput(
  args: readonly string[],
  commands: readonly string[],
  openCountries: OpenCountries,
): Promise<Recognized> {
  const [first = ""] = args;
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
  const matches = await search(text, openCountries);
  if (matches.some(({ match }) => match === CountryMatch_Match.EXACT)) {
    return { kind: "command", args: ["country", text, ...args.slice(words.length)] };
  }
  const nearest = nearestCommand(first, commands);
  const similar = similarCountry(text, matches);
  const suggestion = nearest ?? (similar && `country ${similar.includes(" ") ? `'${similar}'` : similar}`);
  return {
    kind: "unknown",
    problem: suggestion === undefined ? "unknown command" : `unknown command (Did you mean ${suggestion}?)`,
  };
}

/** The command for inputs that can be told by their form. */
function commandFor(words: readonly string[]): readonly string[] | undefined {
  const [kind, ...others] = new Set(words.map(kindOfInput));
  if (others.length > 0) {
    return undefined;
  }
  switch (kind) {
    case "ip":
      return ["geoip"];
    case "email":
      return words.length === 1 ? ["email", "explain"] : ["email"];
    case "secret":
      return ["otp", "code"];
    default:
      return undefined;
  }
}

/** Finds the countries for a text; none if it cannot be searched for. */
async function search(
  query: string,
  openCountries: OpenCountries,
): Promise<SearchCountriesResponse["matches"]> {
  const call = await openCountries();
  if (!call.ok) {
    return [];
  }
  try {
    // A handler fills all fields of its response.
    const response = await call.value(CountriesService.method.searchCountries, { query, limit: 5 });
    return (response as Partial<SearchCountriesResponse>).matches ?? [];
  } catch (thrown) {
    // Throws what is not the error of a call.
    readError(thrown);
    return [];
  }
}

/** The shortest text whose continuation is a suggestion: many names start with fewer letters. */
const MIN_START = 4;

/** The country that a text is nearly the name of, in English if possible; undefined if it is not near to any. */
function similarCountry(text: string, matches: SearchCountriesResponse["matches"]): string | undefined {
  const near = matches.filter(
    ({ match }) =>
      match === CountryMatch_Match.SIMILAR ||
      (match === CountryMatch_Match.START && text.length >= MIN_START),
  );
  return (near.find(({ language }) => language === "en") ?? near[0])?.country?.name;
}

/** The command that differs in a few letters; undefined if none does. */
function nearestCommand(word: string, commands: readonly string[]): string | undefined {
  const most = word.length < 5 ? 1 : 2;
  const near = commands
    .map((name) => ({ name, edits: editDistance(word.toLowerCase(), name, most) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.name;
}
