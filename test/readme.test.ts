import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { http } from "@utility-tools/protos/google/api/annotations_pb.js";
import { commentOn, firstSentence } from "connect-transcoding/openapi";
import { describe, expect, test } from "vitest";
import { loadDocumentation } from "../src/service/documentation.js";
import { TOOL_SERVICES } from "../src/tools/load-tools.js";
import { useServer } from "./contract/serve.js";
import { MAIN } from "./programs.js";
import { TYPESCRIPT_FLAGS } from "./typescript-flags.js";

const ROOT = join(import.meta.dirname, "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const NOTICE = readFileSync(join(ROOT, "NOTICE"), "utf8");
const server = useServer();

interface Example {
  readonly command: string;
  /** What README shows as its output; undefined where it shows none. */
  readonly output: string | undefined;
}

/** Each command, and the block of output right behind it. */
function examples(): Example[] {
  const blocks = [...README.matchAll(/^( *)```(\w+)\n([\s\S]*?)^\1```/gm)].map(
    ([, indent = "", language, text = ""]) => ({
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "").trim(),
    }),
  );
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    const output = next?.language === "sh" ? undefined : next?.text;
    return language === "sh" ? [{ command: text, output }] : [];
  });
}

const METHODS: readonly DescMethod[] = TOOL_SERVICES.flatMap(({ methods }) => methods);

const { comments } = loadDocumentation();

/** The beginning of a method's row in the table of methods, and its end. An example of a query may follow the path. */
function rowOf(method: DescMethod): readonly [beginning: string, end: string] {
  const { case: httpMethod = "", value: path = "" } = getOption(method, http).pattern;
  const beginning = `| \`${method.parent.name}.${method.name}\` | \`${httpMethod.toUpperCase()} ${path}`;
  return [beginning, `\` | ${firstSentence(commentOn(method, comments))} |`];
}

/** The suite `clients/buf-curl` runs this command, because buf is not installed here. */
const BUF = "npx @bufbuild/buf ";
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const [start, ...requests] = examples();

describe("README", () => {
  test("begins with the command that starts the service", () => {
    expect(start?.command).toBe("npm ci && npm start");
    expect(requests.length).toBeGreaterThanOrEqual(6);
  });

  test.each(METHODS.map((method) => [method.name, method] as const))("has a row for %s", (_, method) => {
    const [beginning, end] = rowOf(method);
    const hint = `README.md: add this row to the table of methods:\n${beginning}${end}\n`;
    expect(README.includes(`\n${beginning}`), hint).toBe(true);
  });

  describe.each(requests)("$command", ({ command, output }) => {
    test.skipIf((command.startsWith("curl") && !hasCurl) || command.startsWith(BUF))(
      "does what it says",
      async () => {
        const local = command
          .replaceAll("http://127.0.0.1:8080", server.url)
          .replaceAll("127.0.0.1:8080", new URL(server.url).host)
          .replaceAll("npx utility-tools", `"${process.execPath}" "${MAIN}"`);
        const env = { ...process.env, NODE_OPTIONS: TYPESCRIPT_FLAGS.join(" ") };
        const { stdout } = await promisify(execFile)("sh", ["-c", local], { cwd: ROOT, env });
        expect(stdout.trim()).not.toBe("");
        if (output?.startsWith("{")) {
          expect(JSON.parse(stdout)).toEqual(JSON.parse(output));
        } else if (output !== undefined) {
          expect(stdout.trim()).toBe(output);
        }
      },
    );
  });
});

test("NOTICE names the publisher and the license of all data", async () => {
  const about = await fetch(`${server.url}/v1/about`);
  const { sources } = (await about.json()) as { sources: { name: string; url: string; license: string }[] };
  const missing = sources.filter(({ url, license }) => !NOTICE.includes(url) || !NOTICE.includes(license));
  const lines = missing.map(({ name, url, license }) => `${name}, ${license}\n  ${url}\n  Copyright …`);
  expect(missing, `NOTICE: add these lines, with the copyright:\n\n${lines.join("\n\n")}\n`).toEqual([]);
});
