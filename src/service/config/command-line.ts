import { parseArgs } from "node:util";
import { flagOf } from "./setting.js";
import { SETTINGS } from "./settings.js";

/** What the arguments of the program say, before values are read. */
export interface CommandLine {
  /** What was asked for in place of a command's work. */
  readonly asksFor: "help" | "version" | undefined;
  /** The arguments that are no flags: the command first. They may be anything, and are not to be shown. */
  readonly operands: readonly string[];
  /** The values of settings by their flags, such as `--port`. */
  readonly flags: Flags;
  /** What is wrong with flags, each by the name that was written. */
  readonly problems: readonly string[];
}

/** Texts of settings by their flags, `--` included. */
export type Flags = ReadonlyMap<string, string>;

const FLAGS = new Set(Object.values(SETTINGS).map(flagOf));

const OPTIONS = {
  ...Object.fromEntries([...FLAGS].map((flag) => [flag.slice(2), { type: "string" } as const])),
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "v" },
} as const;

/** The part of an unknown flag that can be shown: what follows may be a value, and a secret. */
const FLAG_NAME = /^--?[\w-]{1,64}(?=$|=)/;

/** Tells flags and operands of a command line apart. Every flag of a setting takes a value: `--port 80` or `--port=80`. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const unambiguous = disambiguate(args);
  const { tokens } = parseArgs({
    args: unambiguous,
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const asked = new Set<string>();
  const operands: string[] = [];
  const flags = new Map<string, string>();
  const problems = new Set<string>();
  /** Where the value of a flag that is unknown would stand. */
  let unknownValueAt = -1;
  for (const token of tokens) {
    if (token.kind === "positional" && token.index !== unknownValueAt) {
      operands.push(token.value);
    } else if (token.kind === "option") {
      const { name, rawName: flag, value } = token;
      if (name === "help" || name === "version") {
        asked.add(name);
      } else if (!FLAGS.has(flag)) {
        const written = FLAG_NAME.exec(unambiguous[token.index] ?? "")?.[0] ?? "a flag";
        problems.add(`${written} is not known: serve --help lists all flags`);
        unknownValueAt = value === undefined ? token.index + 1 : -1;
      } else if (flags.has(flag)) {
        problems.add(`${flag} must not be given more than once`);
      } else if (value === undefined || value === "") {
        problems.add(`${flag} needs a value`);
      } else {
        flags.set(flag, value);
      }
    }
  }
  const asksFor = asked.has("help") ? "help" : asked.has("version") ? "version" : undefined;
  return { asksFor, operands, flags, problems: [...problems] };
}

/**
 * Makes unambiguous what `parseArgs` takes in other ways than people mean it. A flag whose value is missing, at the end or
 * before another flag, gets an empty one: else that other flag would be the value. Letters behind one dash are cut to the
 * first, for flags are not written together here, and a second dash among them would end all flags.
 */
function disambiguate(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const flags = args.slice(0, end).map((arg, index) => {
    const next = args[index + 1];
    const isMissing = FLAGS.has(arg) && (next === undefined || next.startsWith("-"));
    return isMissing ? `${arg}=` : arg.replace(/^(-[^-]).+$/s, "$1");
  });
  return [...flags, ...args.slice(end)];
}
