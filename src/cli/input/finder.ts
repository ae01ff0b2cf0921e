import { type AddressPick, createAddressFinder } from "../../text/find-address.js";
import { findEmails } from "../../text/find-email.js";
import { readAddress } from "../../text/ip-address.js";
import type { ToolCommand } from "../commands.js";
import { type CallFailure, invalidInput } from "../failures.js";
import type { InputItem, Line } from "./lines.js";

/** Finds the inputs in the lines of one input, which are passed in order. A line without one has an item as well. */
export type Finder = ReturnType<typeof finderOf>;

/** What was left out of an input: lines without an input and the number of the first one, lines with `#`, and empty ones. */
export type FindCounts = Finder["counts"];

export interface FinderOptions {
  readonly pick: AddressPick;
  /** Whether the output leaves out the lines with the inputs. */
  readonly isOnlyResults: boolean;
}

/** The failure of a line without an input. It is not an error of its own. */
const NOTHING_FOUND: CallFailure = invalidInput("NO_ADDRESS", "has no address");

/** Whether an input has failed, rather than that there was none. */
export function isError(failure: CallFailure): boolean {
  return failure.reason !== NOTHING_FOUND.reason;
}

/** The operands whose texts can be found in lines, by the names of their fields. `isDefault`: they are found without a flag. */
const FINDABLE: Readonly<
  Record<string, { readonly isDefault: boolean; readonly create: (options: FinderOptions) => Finder }>
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
  options: FinderOptions,
  isFlagged: boolean,
): Finder | undefined {
  const { isDefault = false, create } = FINDABLE[command.operand?.name ?? ""] ?? {};
  return isDefault || isFlagged ? create?.(options) : undefined;
}

function addressFinder({ pick, isOnlyResults }: FinderOptions): Finder {
  const find = createAddressFinder(pick);
  return finderOf(isOnlyResults, (text) => (readAddress(text) === undefined ? find(text) : [text]), find);
}

function emailFinder({ pick, isOnlyResults }: FinderOptions): Finder {
  return finderOf(isOnlyResults, (text) => {
    const found = findEmails(text);
    return pick === "all" ? found : found.slice(...(pick === "last" ? [-1] : [0, 1]));
  });
}

function finderOf(
  isOnlyResults: boolean,
  inText: (text: string) => readonly string[],
  onComment: (line: string) => unknown = () => {},
) {
  const counts = { without: 0, firstWithout: 0, comments: 0, empty: 0 };
  let number = 0;
  return {
    counts,
    /** Returns the inputs in a value of CSV: the value itself if it contains no input. */
    inValue(value: string): readonly string[] {
      const texts = value.startsWith("#") ? [] : inText(value);
      return texts.length === 0 ? [value] : texts;
    },
    inLine(line: Line): InputItem[] {
      number++;
      if (line.rejected !== undefined && line.decoded === undefined) {
        return [line];
      }
      const given = line.decoded ?? line.text;
      const text = given.endsWith("\r") ? given.slice(0, -1) : given;
      if (text.startsWith("#")) {
        counts.comments++;
        onComment(text);
        return [];
      }
      if (text.trim() === "") {
        counts.empty++;
        return [];
      }
      const texts = inText(text);
      if (texts.length > 0 && texts[0] !== text) {
        return texts.map((each) => (isOnlyResults ? { text: each } : { text: each, line: text }));
      }
      // A word alone is meant as an input: what is wrong with it is an error.
      if (texts.length > 0 || !/\S\s+\S/.test(text)) {
        return [line.rejected === undefined ? { text } : { text: line.text, rejected: line.rejected }];
      }
      counts.without++;
      counts.firstWithout ||= number;
      return [{ text: isOnlyResults ? "" : text, rejected: NOTHING_FOUND }];
    },
  };
}
