import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { SERVICES } from "@utility-tools/protos/services.js";
import { describe, expect, test } from "vitest";
import { deriveCommands } from "../../src/cli/derive-commands.js";

const MAIN = join(import.meta.dirname, "../../dist/src/main.js");

function completion(shell: string): string {
  return execFileSync(process.execPath, [MAIN, "completion", shell], { encoding: "utf8" });
}

const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;

describe.skipIf(!has("bash"))("bash", () => {
  const script = has("bash") ? completion("bash") : "";

  /** What bash offers when somebody presses the tab key behind these words; it takes `=` for a word of its own. */
  function complete(...words: string[]): string[] {
    const call = `${script}
COMP_WORDS=(utility-tools "$@")
COMP_CWORD=$#
_utility_tools
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const args = ["--noprofile", "--norc", "-c", call, "bash", ...words];
    return execFileSync("bash", args, { encoding: "utf8" }).split("\n").filter(Boolean);
  }

  test.each<[string[], string[]]>([
    [["ge"], ["geoip"]],
    [
      ["otp", ""],
      ["generate", "verify"],
    ],
    [["otp", "v"], ["verify"]],
    [["email", ""], ["explain"]],
    [["geoip", "8.8.8.8", "--js"], ["--json"]],
    [
      ["barcode", "--format", ""],
      ["svg", "png"],
    ],
    [["barcode", "--format", "p"], ["png"]],
    [
      ["barcode", "--format", "="],
      ["svg", "png"],
    ],
    [["barcode", "--format", "=", "s"], ["svg"]],
    [
      ["otp", "generate", "--digits", ""],
      ["6", "8"],
    ],
    [["otp", "generate", "--label", ""], []],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [
      ["serve", "--log-requests", ""],
      ["none", "failed", "all"],
    ],
    [["serve", "--tls-cert"], ["--tls-cert-file"]],
    [["nothing", ""], []],
  ])("offers behind %j", (words, offered) => {
    expect(complete(...words).toSorted()).toEqual(offered.toSorted());
  });

  test("offers every command first", () => {
    const ofTools = deriveCommands(Object.values(SERVICES), {}).map(({ name }) => name.split(" ")[0]);
    const first = new Set([...ofTools, "completion", "make-key", "serve"]);
    expect(complete("").toSorted()).toEqual([...first].toSorted());
    expect(first).toContain("geoip");
  });

  test("offers files for flags that take one", () => {
    expect(complete("geoip", "--output", join(import.meta.dirname, "completion.t"))).toEqual([
      join(import.meta.dirname, "completion.test.ts"),
    ]);
  });
});

describe.skipIf(!has("zsh"))("zsh", () => {
  test("reads the script", () => {
    expect(spawnSync("zsh", ["-n"], { input: completion("zsh"), encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe.skipIf(!has("fish"))("fish", () => {
  test.each<[string, string[]]>([
    ["utility-tools ge", ["geoip"]],
    ["utility-tools otp ", ["generate", "verify"]],
    ["utility-tools barcode --format ", ["png", "svg"]],
    ["utility-tools completion ", ["bash", "fish", "zsh"]],
  ])("offers behind '%s'", (line, offered) => {
    const call = `${completion("fish")}\ncomplete -C ${JSON.stringify(line)}`;
    const { stdout } = spawnSync("fish", ["--no-config", "-c", call], { encoding: "utf8" });
    const words = stdout
      .split("\n")
      .filter(Boolean)
      .map((each) => each.split("\t")[0]);
    expect(words.toSorted()).toEqual(offered);
  });
});

test.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("%j is no shell", (args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, "completion", ...args], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("Usage: utility-tools completion bash|zsh|fish");
});
