import type { Flag } from "./flag.js";
import { nearest } from "./nearest.js";

/** What the arguments behind a command's name say. */
export interface Arguments {
  /** Those that belong to no flag; `-` among them stands for standard input. */
  readonly operands: readonly string[];
  /** The values of flags, in the order in which they were given; of a flag without a value as many empty texts. */
  readonly values: ReadonlyMap<Flag, readonly string[]>;
  /** What is wrong. Repeats no value, for that may be a secret in the wrong place. */
  readonly problems: readonly string[];
}

/** The part of an unknown flag that can be shown: what follows may be a value. */
const FLAG_NAME = /^(?:-\w|--\w[\w-]{0,63})(?=$|=)/;

/**
 * Tells flags and operands apart: `--name VALUE`, `--name=VALUE` and `-h`, in any order and among operands, up to `--`, behind
 * which all are operands. A value that begins with a dash takes the form with `=`, so that a forgotten value does not
 * swallow the next flag.
 * https://www.gnu.org/software/libc/manual/html_node/Argument-Syntax.html
 */
export function parseArguments(args: readonly string[], flags: readonly Flag[]): Arguments {
  const known = new Map<string, Flag>();
  for (const flag of flags) {
    known.set(flag.name, flag).set(flag.short ?? flag.name, flag);
  }
  const operands: string[] = [];
  const values = new Map<Flag, string[]>();
  const problems = new Set<string>();
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(index + 1));
      break;
    }
    if (!arg.startsWith("-") || arg === "-") {
      operands.push(arg);
      continue;
    }
    const equals = arg.startsWith("--") ? arg.indexOf("=") : -1;
    const flag = known.get(equals === -1 ? arg : arg.slice(0, equals));
    if (flag === undefined) {
      problems.add(unknownFlag(arg, [...known.keys()]));
      continue;
    }
    let value = equals === -1 ? undefined : arg.slice(equals + 1);
    if (flag.placeholder === undefined) {
      if (value !== undefined) {
        problems.add(`${flag.name} takes no value`);
      }
      value = "";
    } else if (value === undefined) {
      const next = args[index + 1];
      if (next === undefined || (next.startsWith("-") && next !== "-")) {
        problems.add(`${flag.name} needs a value: ${flag.name}=${flag.placeholder}`);
        continue;
      }
      value = next;
      index++;
    }
    const given = values.get(flag);
    if (given === undefined) {
      values.set(flag, [value]);
    } else if (flag.isRepeated || flag.placeholder === undefined) {
      given.push(value);
    } else {
      problems.add(`${flag.name} must not be given more than once`);
    }
  }
  return { operands, values, problems: [...problems] };
}

function unknownFlag(arg: string, names: readonly string[]): string {
  const written = FLAG_NAME.exec(arg)?.[0];
  // Of a dash and a letter everything is near.
  const meant = written !== undefined && written.length > 2 ? nearest(written, names) : undefined;
  return `${written ?? "a flag"} is not known${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}
