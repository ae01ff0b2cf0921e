// `npm run check -- package/readme`: follows "Start in an empty folder" of the engine's README, with tarballs in place of the packages of
// this repository. With --published, it installs them by name.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EXAMPLE_CONFIG } from "../../publishing/config.mjs";
import { packPackages } from "../../publishing/pack.mjs";
import { check, conclude, freePort, responds, run } from "../lib/checks.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
/** Whether the packages come from the registry that npm is configured with. */
const isPublished = process.argv.includes("--published");
const temporary = mkdtempSync(join(tmpdir(), "engine-readme-"));

/** The code blocks of the section: their language, the name after it, and their text. */
function blocksOf(page) {
  const [, section = ""] = /^## Start in an empty folder$([\s\S]*?)^## /m.exec(page) ?? [];
  return [...section.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, ...block]) => block);
}

/** Packs the engine and the server. Returns the paths of the tarballs. */
function packAll() {
  const folders = ["packages/http-server", "packages/connect-transcoding"];
  return packPackages(EXAMPLE_CONFIG, temporary, folders).map(({ tarball }) => tarball);
}

try {
  const blocks = blocksOf(readFileSync(join(ROOT, "packages", "connect-transcoding", "README.md"), "utf8"));
  const commands = new Map(
    blocks.flatMap(([language, name, text]) => (language === "sh" ? [[name, text]] : [])),
  );
  const tarballs = isPublished ? undefined : packAll().join(" ");
  const port = await freePort();
  const project = join(temporary, "project");
  mkdirSync(project);
  const shell = (text, seconds = 300) =>
    run("sh", ["-ec", text.replaceAll("8080", String(port))], { cwd: project, seconds });

  const install = commands
    .get("start")
    .replace("install connect-transcoding", `install ${tarballs ?? "connect-transcoding"}`);
  const installed = shell(`export npm_config_prefer_offline=true npm_config_audit=false\n${install}`);
  check("installs", installed.status === 0, installed.stderr);
  for (const [language, name, text] of blocks) {
    if (language !== "sh" && name !== "") {
      mkdirSync(dirname(join(project, name)), { recursive: true });
      writeFileSync(join(project, name), text.replaceAll("8080", String(port)));
    }
  }
  const [generate, serve] = commands.get("serve").trim().split("\n");
  const generated = shell(generate);
  check(generate, generated.status === 0, generated.stderr);
  const server = spawn("sh", ["-ec", `exec ${serve}`], {
    cwd: project,
    stdio: ["ignore", "inherit", "inherit"],
  });
  check(`${serve}: is ready`, await responds(`http://127.0.0.1:${port}`));

  const expected = JSON.parse(blocks.find(([language]) => language === "json")[2]);
  for (const command of commands.get("call").replaceAll("\\\n", "").trim().split("\n")) {
    const called = shell(command);
    const isRight =
      called.status === 0 && JSON.stringify(JSON.parse(called.stdout)) === JSON.stringify(expected);
    check(command, isRight, called.stdout + called.stderr);
  }
  server.kill();
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
conclude();
