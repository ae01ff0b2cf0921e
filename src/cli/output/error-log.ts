import { errorLine } from "../failures.js";
import { countOf, numberText } from "./counts.js";
import type { ItemError } from "./results.js";
import type { Style } from "./terminal.js";

/** The number of errors of a list that are written as they occur. */
const SHOWN_ERRORS = 5;
/** How many kinds of errors, and inputs of a kind, are counted, and how many inputs of a kind are named. */
const MAX_GROUPS = 1_000;
const MAX_INPUTS = 1_000;
const NAMED_INPUTS = 3;

/** Errors that are equal but for their inputs. */
interface ErrorGroup {
  count: number;
  /** How many of them were written as they occurred. */
  shown: number;
  readonly first: ItemError;
  readonly inputs: Map<string, number>;
}

/**
 * Creates the log of a list's errors. The first ones are written as they occur. If there are more, the end has a line for each group
 * of equal ones: files would grow with them, and people would lose the results.
 *
 * @param isAll whether each error is written
 */
export function createErrorLog(isAll: boolean, command: string, style: Style) {
  const groups = new Map<string, ErrorGroup>();
  let [shown, hidden] = [0, 0];
  /** Returns the line of an error if it is written now. */
  function add(error: ItemError): string {
    if (isAll) {
      return error.line;
    }
    const isShown = shown++ < SHOWN_ERRORS;
    const key = messageOf(error);
    const group = groups.get(key) ?? { count: 0, shown: 0, first: error, inputs: new Map() };
    if (group.count === 0 && groups.size === MAX_GROUPS) {
      hidden += isShown ? 0 : 1;
    } else {
      groups.set(key, group);
      group.count++;
      group.shown += isShown ? 1 : 0;
      if (group.inputs.has(error.input) || group.inputs.size < MAX_INPUTS) {
        group.inputs.set(error.input, (group.inputs.get(error.input) ?? 0) + 1);
      }
    }
    return isShown ? error.line : "";
  }
  return {
    /** Returns the lines of errors that are written now. */
    add: (errors: readonly ItemError[]): string => errors.map(add).join(""),
    /** Returns the lines for errors that are equal. Empty if all errors were written. */
    end: (): string =>
      [...groups]
        .filter(([, group]) => group.count > group.shown)
        .sort(([, one], [, other]) => other.count - one.count)
        .map(([message, { count: all, first, inputs }]) =>
          all === 1 ? first.line : errorLine(command, groupText(message, all, inputs), style),
        )
        .join(""),
    /** The number of errors that no line tells of. */
    hidden: (): number => hidden,
  };
}

/** The message of an error without its input. */
function messageOf({ message, input }: ItemError): string {
  const rest = input !== "" && message.startsWith(`${input} `) ? message.slice(input.length + 1) : message;
  const own = rest.replace(/^[\da-f.:]+ (?=is )/, "");
  return input.length > 1 ? own.replaceAll(input, "…") : own;
}

/** `903 lines: private address (10.0.0.5 817 times, 10.0.0.6 80 times, …)`. */
function groupText(message: string, count: number, inputs: ReadonlyMap<string, number>): string {
  const sorted = [...inputs].filter(([input]) => input !== "").sort(([, one], [, other]) => other - one);
  const names = sorted
    .slice(0, NAMED_INPUTS)
    .map(([input, times]) => (times === 1 ? input : `${input} ${numberText(times)} times`));
  const all = sorted.length > NAMED_INPUTS ? [...names, "…"] : names;
  const about = all.length === 0 ? "" : ` (${all.join(", ")})`;
  return `${countOf(count, "line")}: ${message.replace(/^is an? /, "")}${about}`;
}
