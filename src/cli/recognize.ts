import { isIP } from "node:net";
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { readError } from "@utility-tools/client";
import {
  CountriesService,
  CountryMatch_Match,
  type SearchCountriesResponse,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import type { MessageInit } from "connect-transcoding/codec";
import type { Result } from "../failures/result.js";
import { editDistance } from "../tools/countries/edit-distance.js";
import type { NotCallable } from "./calls.js";

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
  const similar = matches[0]?.country?.name;
  const suggestion = nearest ?? (similar === undefined ? undefined : `country ${similar}`);
  return {
    kind: "unknown",
    problem: suggestion === undefined ? "unknown command" : `unknown command (Did you mean ${suggestion}?)`,
  };
}

/** The command for inputs that can be told by their form. */
function commandFor(words: readonly string[]): readonly string[] | undefined {
  const isEach = (test: (word: string) => boolean) => words.every(test);
  if (isEach(isAddress)) {
    return ["geoip"];
  }
  if (isEach((word) => /^\S+@\S+$/.test(word))) {
    return words.length === 1 ? ["email", "explain"] : ["email"];
  }
  // A word of capital letters can be a name. A secret has at least 80 bits, which are 16 characters.
  return isEach((word) => /^otpauth:\/\//i.test(word) || /^[A-Z2-7]{16,}=*$/.test(word))
    ? ["otp", "code"]
    : undefined;
}

/** Whether a text is meant as an IP address. The command says what is wrong with one. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text);
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

/** The command that differs in a few letters; undefined if none does. */
function nearestCommand(word: string, commands: readonly string[]): string | undefined {
  const most = word.length < 5 ? 1 : 2;
  const near = commands
    .map((name) => ({ name, edits: editDistance(word.toLowerCase(), name, most) }))
    .filter(({ edits }) => edits <= most)
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.name;
}
