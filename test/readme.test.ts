import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { SERVICES } from "@utility-tools/protos/services.js";
import { describe, expect, test } from "vitest";
import { useServer } from "./contract/serve.js";

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

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const [start, ...requests] = examples();

describe("README", () => {
  test("has the commands that start the service and run its tests", () => {
    expect(start?.command).toBe("npm ci && npm start");
    expect(README).toContain("npm ci && npm test");
    expect(requests.length).toBeGreaterThanOrEqual(7);
  });

  test("lists every method", () => {
    for (const service of Object.values(SERVICES)) {
      for (const { name } of service.methods) {
        expect(README).toContain(`\n| \`${service.name}.${name}\` | `);
      }
    }
  });

  describe.each(requests)("$command", ({ command, output }) => {
    test.skipIf(command.startsWith("curl") && !hasCurl)("does what it says", async () => {
      const local = command
        .replaceAll("http://127.0.0.1:8080", server.url)
        .replaceAll("127.0.0.1:8080", new URL(server.url).host);
      const { stdout } = await promisify(execFile)("sh", ["-c", local], { cwd: ROOT });
      expect(stdout.trim()).not.toBe("");
      if (output?.startsWith("{")) {
        expect(JSON.parse(stdout)).toEqual(JSON.parse(output));
      } else if (output !== undefined) {
        expect(stdout.trim()).toBe(output);
      }
    });
  });
});
