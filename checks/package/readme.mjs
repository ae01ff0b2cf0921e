// `npm run check -- package/readme`: follows "Start in an empty folder" of the engine's README, with tarballs in place of the packages of
// this repository. With --published, it installs them by name.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EXAMPLE_CONFIG } from "../../publishing/config.mjs";
import { packPackages } from "../../publishing/pack.mjs";
import { read } from "../../publishing/workspace.mjs";
import { check, checkRuns, conclude, freePort, run, startServer, temporaryFolder } from "../lib/checks.mjs";

/** Whether the packages come from the registry that npm is configured with. */
const isPublished = process.argv.includes("--published");
const temporary = temporaryFolder("readme");

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

const blocks = blocksOf(read("packages/connect-transcoding/README.md"));
const commands = new Map(
  blocks.flatMap(([language, name, text]) => (language === "sh" ? [[name, text]] : [])),
);
const tarballs = isPublished ? undefined : packAll().join(" ");
const port = String(await freePort());
const project = join(temporary, "project");
mkdirSync(project);
/** The program and the arguments that run commands, with the free port. */
const shell = (text) => ["sh", ["-ec", text.replaceAll("8080", port)]];
const options = { cwd: project, seconds: 300 };

const install = commands
  .get("start")
  .replace("install connect-transcoding", `install ${tarballs ?? "connect-transcoding"}`);
const settings = "export npm_config_prefer_offline=true npm_config_audit=false\n";
checkRuns("installs", ...shell(settings + install), options);
for (const [language, name, text] of blocks) {
  if (language !== "sh" && name !== "") {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text.replaceAll("8080", port));
  }
}
const [generate, serve] = commands.get("serve").trim().split("\n");
checkRuns(generate, ...shell(generate), options);
const server = await startServer(`http://127.0.0.1:${port}`, ...shell(`exec ${serve}`), {
  cwd: project,
  stdio: ["ignore", "inherit", "inherit"],
});
check(`${serve}: is ready`, server.isReady);

const expected = JSON.stringify(JSON.parse(blocks.find(([language]) => language === "json")[2]));
for (const command of commands.get("call").replaceAll("\\\n", "").trim().split("\n")) {
  const { status, stdout, stderr } = run(...shell(command), options);
  const isRight = status === 0 && JSON.stringify(JSON.parse(stdout)) === expected;
  check(command, isRight, stdout + stderr);
}
await server.stop();
conclude();
