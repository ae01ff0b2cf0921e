import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { useServer } from "./contract/serve.js";
import { MAIN } from "./programs.js";
import { TYPESCRIPT_FLAGS } from "./typescript-flags.js";

const ROOT = join(import.meta.dirname, "..");
const README = readFileSync(join(ROOT, "README.md"), "utf8");
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

/** The suite `clients/buf-curl` runs this command, because buf is not installed here. */
const BUF = "npx @bufbuild/buf ";
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const [start, ...requests] = examples();

describe("README", () => {
  test("begins with the command that starts the service", () => {
    expect(start?.command).toBe("npm ci && npm start");
    expect(requests.length).toBeGreaterThanOrEqual(6);
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
