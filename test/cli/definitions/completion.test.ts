import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { useFolder } from "../folder.js";
import { runHere } from "../run-tools.js";

const { file } = useFolder();

/** A line whose last word is to be completed, and the words that complete it, sorted. */
const CASES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["otp ", ["code", "generate", "import", "verify"]],
  ["otp g", ["generate"]],
  ["otp generate --algorithm ", ["SHA1", "SHA256", "SHA512"]],
  ["otp verify ABC --digits ", ["6", "8"]],
  ["geoip --view f", ["full"]],
  ["geoip --url ", []],
  ["geoip 8.8.8.8 --vi", ["--view"]],
  ["completion ", ["bash", "fish", "zsh"]],
  ["serve --tls-c", ["--tls-cert-file"]],
  ["serve --log-level e", ["error"]],
  ["serve --open-areas docs,m", ["docs,metrics"]],
  ["geoip --pick ", ["all", "client", "first", "last"]],
  ["country FR --fields capi", ["capital"]],
  ["about --fields ver", ["version"]],
  ["geoip --fields country,city,err", ["country,city,error"]],
  ["export countries --format ", ["csv", "parquet"]],
  ["export geoip --format=p", ["--format=parquet"]],
  ["geoip --fields=country,cit", ["--fields=country,city"]],
  ["update-data --city-source n", ["none"]],
  ["8.8.8.8 --js", ["--json"]],
  ["--json otp g", ["generate"]],
];

/** Programs that print the words after `utility-tools` and the words of a line, in which the script is `$1`. */
const PROGRAMS: Readonly<Record<string, string>> = {
  bash: `source "$1"; shift
compopt() { :; }
COMP_WORDS=(utility-tools "$@"); COMP_CWORD=$#
_utility_tools
printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of the completion system print what they get.
  zsh: `script=$1; shift
words=(utility-tools "$@"); CURRENT=$#words; PREFIX=$words[CURRENT]
matching() { for word in "$@"; do [[ $word == $PREFIX* ]] && print -r -- $word; done }
compdef() { :; }
compset() { local end=\${2[2]}; BEFORE+=\${PREFIX%\${PREFIX##*$end}}; PREFIX=\${PREFIX##*$end}; }
compadd() { shift; for word in $(matching "$@"); do print -r -- $BEFORE$word; done }
_describe() { matching "\${(@)\${(P@)2}%%:*}"; }
_files() { :; }
source $script
_utility_tools`,
  fish: `source $argv[1]
complete -C (string join -- ' ' utility-tools $argv[2..]) | string split -f1 \\t`,
};

describe.each(Object.entries(PROGRAMS))("%s", (shell, program) => {
  const isInstalled = spawnSync(shell, ["--version"]).error === undefined;

  test.skipIf(!isInstalled)("completes commands, flags and values", async () => {
    const { status, out, err } = await runHere(["completion", shell]);
    expect({ status, err }).toEqual({ status: 0, err: "" });
    const script = file(shell, out);
    const { out: help } = await runHere(["--help"]);
    const list = help.slice(help.indexOf("\nTools:"), help.indexOf("\nCommon flags:"));
    const commands = [...new Set([...list.matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = ""]) => name))];
    expect(commands).toContain("geoip");
    const cases = [["", commands] as const, ...CASES];
    const completed = cases.map(([line]) => {
      const args = shell === "fish" ? ["-c", program, script] : ["-c", program, shell, script];
      // Bash splits words at =, and completes what follows.
      const words = (shell === "bash" ? line.replace("=", " = ") : line).split(" ");
      const result = spawnSync(shell, [...args, ...words], { encoding: "utf8" });
      expect(result.stderr).toBe("");
      return [line, result.stdout.split("\n").filter(Boolean).toSorted()];
    });
    const shown = (word: string) => (shell === "bash" ? word.replace(/^.*=/, "") : word);
    expect(completed).toEqual(cases.map(([line, words]) => [line, words.map(shown).toSorted()]));
  });
});

test.each([
  ["bash", "\ncomplete -F _utility_tools utility-tools ut\n"],
  ["zsh", "#compdef utility-tools ut\n"],
  ["zsh", "\n  compdef _utility_tools utility-tools ut\n"],
  ["fish", "\ncomplete -c ut -w utility-tools\n"],
])("the script of %s is for both names of the program", async (shell, line) => {
  expect((await runHere(["completion", shell])).out).toContain(line);
});

test("bash completes the short name", async () => {
  const { out } = await runHere(["completion", "bash"]);
  const { stdout } = spawnSync("bash", ["-c", `${out}\ncomplete -p ut`], { encoding: "utf8" });
  expect(stdout).toBe("complete -F _utility_tools ut\n");
});

test("an unknown shell is an error with the known ones", async () => {
  const { status, err } = await runHere(["completion", "tcsh"]);
  expect({ status, err }).toEqual({
    status: 2,
    err:
      "utility-tools completion: command-argument value 'tcsh' is invalid for argument 'SHELL'. Allowed choices are bash, zsh, " +
      "fish.\nutility-tools completion --help shows the usage\n",
  });
});
