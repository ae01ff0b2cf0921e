import { type AddressPick, createAddressFinder } from "../../text/find-address.js";
import { findEmails } from "../../text/find-email.js";
import { readAddress } from "../../text/ip-address.js";
import type { ToolCommand } from "../commands.js";
import { type CallFailure, invalidInput } from "../failures.js";

/** The inputs in a line. `whole`: the line is meant as an input. */
export type Found =
  | { readonly kind: "ignored" | "whole" | "none" }
  | { readonly kind: "found"; readonly texts: readonly string[] };

/** What was left out of an input. */
export interface FindCounts {
  /** The lines without an input, and the number of the first one. */
  readonly without: number;
  readonly firstWithout: number;
  /** The lines that begin with `#`. */
  readonly comments: number;
  readonly empty: number;
}

/** Finds the inputs in the lines of one input, which are passed in order. */
export interface Finder {
  find(line: string): Found;
  /** Counts a line that cannot be read. */
  skip(): void;
  /** Returns the inputs in a value of CSV: the value itself if it contains no input. */
  inValue(value: string): readonly string[];
  readonly counts: FindCounts;
}

/** The failure of a line without an input. It is not an error of its own. */
export const NOTHING_FOUND: CallFailure = invalidInput("NO_ADDRESS", "has no address");

/** Whether an input has failed, rather than that there was none. */
export function isError(failure: CallFailure): boolean {
  return failure.reason !== NOTHING_FOUND.reason;
}

/** The operands whose texts can be found in lines, by the names of their fields. `isDefault`: they are found without a flag. */
const FINDABLE: Readonly<
  Record<string, { readonly isDefault: boolean; readonly create: (pick: AddressPick) => Finder }>
> = {
  ip_address: { isDefault: true, create: addressFinder },
  email: { isDefault: false, create: emailFinder },
};

/** Whether the inputs of a command can be found in lines: always, with a flag, or not at all. */
export function findingOf({ operand }: ToolCommand): "always" | "flag" | undefined {
  const { isDefault } = FINDABLE[operand?.name ?? ""] ?? {};
  return isDefault === undefined ? undefined : isDefault ? "always" : "flag";
}

/** Creates the finder for the inputs of a command; undefined if a line is an input. */
export function createFinder(
  command: ToolCommand,
  pick: AddressPick,
  isFlagged: boolean,
): Finder | undefined {
  const finding = findingOf(command);
  return finding === "always" || (finding === "flag" && isFlagged)
    ? FINDABLE[command.operand?.name ?? ""]?.create(pick)
    : undefined;
}

function addressFinder(pick: AddressPick): Finder {
  const find = createAddressFinder(pick);
  return finderOf((text) => (readAddress(text) === undefined ? find(text) : [text]), find);
}

function emailFinder(pick: AddressPick): Finder {
  return finderOf((text) => {
    const found = findEmails(text);
    return pick === "all" ? found : found.slice(...(pick === "last" ? [-1] : [0, 1]));
  });
}

function finderOf(
  inText: (text: string) => readonly string[],
  onComment: (line: string) => unknown = () => {},
): Finder {
  const counts = { without: 0, firstWithout: 0, comments: 0, empty: 0 };
  let number = 0;
  return {
    counts,
    skip: () => void number++,
    inValue(value) {
      const texts = value.startsWith("#") ? [] : inText(value);
      return texts.length === 0 ? [value] : texts;
    },
    find(line) {
      number++;
      if (line.startsWith("#")) {
        counts.comments++;
        onComment(line);
        return { kind: "ignored" };
      }
      if (line.trim() === "") {
        counts.empty++;
        return { kind: "ignored" };
      }
      const texts = inText(line);
      if (texts.length > 0 && texts[0] !== line) {
        return { kind: "found", texts };
      }
      // A word alone is meant as an input: what is wrong with it is an error.
      if (texts.length > 0 || !/\S\s+\S/.test(line)) {
        return { kind: "whole" };
      }
      counts.without++;
      counts.firstWithout ||= number;
      return { kind: "none" };
    },
  };
}
