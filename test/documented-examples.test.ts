import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { TYPESCRIPT_FLAGS } from "connect-transcoding-testing/typescript-flags.js";
import { afterAll, describe, expect, test } from "vitest";
import { useServer } from "./contract/support/serve.js";
import { MAIN } from "./support/programs.js";

// Runs the examples of pages, one after another in a folder of the page, and compares what they print with the block behind them.
// In that block, … stands for any text, as a value of JSON for any value, and as the last element or member for any others.

const ROOT = join(import.meta.dirname, "..");
const FOLDERS = ["docs/tools", "docs/tutorials"];
const PAGES = [
  "README.md",
  "docs/guide/testing.md",
  "docs/reference/command-line.md",
  ...FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)),
];
const URL_OF_PAGES = "http://127.0.0.1:8080";
const server = useServer();

interface Example {
  readonly language: string;
  readonly code: string;
  /** What the page shows as its output, and the language of that block; undefined where it shows none. */
  readonly output: { readonly language: string; readonly text: string } | undefined;
}

/** They install packages and start the service, or are run by the suite `clients/buf-curl`. */
const RUN_ELSEWHERE = /^(?:git clone|npm |npx --yes @bufbuild\/buf )/;

const javascript = (code: string): readonly [string, ...string[]] => [
  process.execPath,
  ...TYPESCRIPT_FLAGS,
  "--input-type=module",
  "--eval",
  code,
];

/** The program and its arguments for the examples of each language. */
const RUNNERS: Readonly<Record<string, (code: string) => readonly [string, ...string[]]>> = {
  sh: (code) => [
    "bash",
    "--noprofile",
    "--norc",
    "-c",
    `utility-tools() { "${process.execPath}" "${MAIN}" "$@"; }\n${code.replaceAll("npx @utility-tools/server", "utility-tools")}`,
  ],
  js: javascript,
  ts: javascript,
  python: (code) => ["python3", "-c", code],
};
const NEEDS: Readonly<Record<string, string>> = { sh: "curl", python: "python3" };
const MISSING = Object.values(NEEDS).filter((program) => spawnSync(program, ["--version"]).status !== 0);

function examplesOf(page: string): Example[] {
  const blocks = [...page.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```$(\n\n(?= *```(?:json|text)\n))?/gm)].map(
    ([, indent = "", language = "", text = "", next]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      hasOutput: next !== undefined,
    }),
  );
  return blocks
    .map(({ language, text, hasOutput }, index) => ({
      language,
      code: text.trim(),
      output: hasOutput ? blocks[index + 1] : undefined,
    }))
    .filter(({ language, code }) => language in RUNNERS && !RUN_ELSEWHERE.test(code));
}

/** Whether a text has the parts between each … in this order. */
const isText = (expected: string, actual: string) =>
  new RegExp(
    `^${expected
      .replace(/\n$/, "")
      .split("…")
      .map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"))
      .join("[\\s\\S]*")}\\n?$`,
  ).test(actual);

/** What a value is, with … in place of what the expected value leaves open. */
function masked(expected: unknown, actual: unknown): unknown {
  if (
    expected === "…" ||
    (typeof expected === "string" && typeof actual === "string" && isText(expected, actual))
  ) {
    return expected;
  }
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const isOpen = expected.at(-1) === "…";
    const closed = isOpen ? actual.slice(0, expected.length - 1) : actual;
    return [...closed.map((each, index) => masked(expected[index], each)), ...(isOpen ? ["…"] : [])];
  }
  if (isObject(expected) && isObject(actual)) {
    const isOpen = "…" in expected;
    const members = Object.entries(actual).filter(([name]) => !isOpen || name in expected);
    return Object.fromEntries([
      ...members.map(([name, value]) => [name, masked(expected[name], value)]),
      ...(isOpen ? [["…", "…"]] : []),
    ]);
  }
  return actual;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

describe.each(PAGES)("%s", (page) => {
  const examples = examplesOf(readFileSync(join(ROOT, page), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("has examples", () => expect(examples.length).toBeGreaterThan(0));

  test.for(examples)("$code", async ({ language, code, output }, { skip }) => {
    skip(MISSING.includes(NEEDS[language] ?? ""), `${NEEDS[language]} is not installed`);
    const run = RUNNERS[language]?.(code.replaceAll(URL_OF_PAGES, server.url));
    const [program = "", ...args] = run ?? [];
    // The root has the packages that examples import.
    const cwd = RUNNERS[language] === javascript ? ROOT : folder;
    const {
      code: status = 0,
      stdout,
      stderr,
    } = await promisify(execFile)(program, args, {
      cwd,
      // Commands call the server, because loading the data takes most of the time of a process.
      env: { PATH: process.env.PATH, UTILITY_TOOLS_URL: server.url },
    }).catch((failed) => failed);
    const printed = stdout.replaceAll(server.url, URL_OF_PAGES);
    if (output === undefined) {
      expect(status, stderr).toBe(0);
      return;
    }
    // An example may have invalid inputs, which exit with 1.
    expect(status, stderr).toBeLessThan(2);
    if (output.language === "json") {
      const [expected, actual] = [output.text, printed].map(valuesIn);
      expect(masked(expected, actual), stderr).toEqual(expected);
    } else {
      expect(isText(output.text, printed) ? output.text : printed, stderr).toBe(output.text);
    }
  });
});

/** The JSON value of a text, or the values of its lines. */
function valuesIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}
