// Follows the README files of the packages in empty folders: from a clone before the first release, and by name from a registry after it.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { check, checkRuns, freePort, run, startServer } from "connect-transcoding-testing/checks.mjs";
import { withBlocks } from "../../scripts/release/install.mjs";
import { read, readJson } from "../../scripts/release/workspace.mjs";

const ENGINE = "packages/connect-transcoding";
/** What to import of each package, by its folder. */
const MODULES = {
  gen: "@utility-tools/protos/services.js",
  "packages/http-server": "@utility-tools/http-server",
  "packages/operations": "connect-transcoding-operations/access/access",
  client: "@utility-tools/client",
  "packages/gateway": "connect-transcoding-gateway",
  [ENGINE]: "connect-transcoding",
};

/** The code blocks of a text: their language, the name after it, and their text. */
export function blocksOf(text) {
  return [...text.matchAll(/^```(\w+) ?(\S*)\n([\s\S]*?)^```$/gm)].map(([, ...block]) => block);
}

/**
 * Installs each package as its README says, in an empty folder, imports it, and follows "Start in an empty folder" of the engine's README.
 *
 * @param config the content of release.config.json
 * @returns the function that returns the project of a package, by the package's folder
 */
export async function followReadmes(temporary, config, env) {
  const { version } = readJson("package.json");
  const readmeOf = (folder) => withBlocks(read(join(folder, "README.md")), config, version);
  const projectOf = (folder) => join(temporary, folder.replace("packages/", ""));
  for (const [folder, module] of Object.entries(MODULES)) {
    const commands = blocksOf(readmeOf(folder)).filter(([, name]) => name === "start" || name === "install");
    const options = { cwd: projectOf(folder), env, seconds: 900 };
    mkdirSync(options.cwd);
    checkRuns(`${folder}: installs`, "sh", ["-ec", commands.map(([, , text]) => text).join("")], options);
    const program = `await import(${JSON.stringify(module)})`;
    checkRuns(
      `${folder}: is imported`,
      process.execPath,
      ["--input-type=module", "--eval", program],
      options,
    );
  }
  await startEngine(readmeOf(ENGINE), { cwd: projectOf(ENGINE), env, seconds: 900 });
  return projectOf;
}

/** Writes the files of "Start in an empty folder", and runs its commands. */
async function startEngine(readme, options) {
  const [, section] = /^## Start in an empty folder$([\s\S]*?)^## /m.exec(readme);
  const blocks = blocksOf(section);
  const commands = new Map(
    blocks.flatMap(([language, name, text]) => (language === "sh" ? [[name, text]] : [])),
  );
  const port = String(await freePort());
  /** The program and the arguments that run commands, with the free port. */
  const shell = (text) => ["sh", ["-ec", text.replaceAll("8080", port)]];
  for (const [language, name, text] of blocks) {
    if (language !== "sh" && name !== "") {
      mkdirSync(dirname(join(options.cwd, name)), { recursive: true });
      writeFileSync(join(options.cwd, name), text.replaceAll("8080", port));
    }
  }
  const [generate, serve] = commands.get("serve").trim().split("\n");
  checkRuns(generate, ...shell(generate), options);
  const server = await startServer(`http://127.0.0.1:${port}`, ...shell(`exec ${serve}`), {
    ...options,
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
}
