import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { makeCertificate } from "../lib/certificate.mjs";
import { check, conclude, run, startService } from "../lib/checks.mjs";
import { MAIN } from "./programs.mjs";

/** Debian has nginx in a folder that is not on the PATH of every user. */
export const ENV = { ...process.env, PATH: [process.env.PATH, "/usr/sbin"].join(delimiter) };

/** Starts the built service, over TLS if there is a certificate. */
export function serve(certificate, env = {}) {
  const tls =
    certificate === undefined ? {} : { TLS_CERT_FILE: certificate.cert, TLS_KEY_FILE: certificate.key };
  return startService(process.execPath, [MAIN], { ...tls, ...env });
}

/** Calls a function with a service that is started before and stopped after, first in cleartext, then over TLS. */
export async function eachTransport(certificate, trial, env) {
  for (const [transport, files] of [
    ["cleartext", undefined],
    ["TLS", certificate],
  ]) {
    const service = await serve(files, env);
    try {
      await trial(transport, service, files);
    } finally {
      await service.stop();
    }
  }
}

/** Runs a program in parallel with this one. Resolves to its exit code and its output. */
export async function runAsync(program, args, { seconds = 120, ...options } = {}) {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: ENV,
    timeout: seconds * 1_000,
    ...options,
  });
  const status = new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal));
    child.once("error", (error) => resolve(error.message));
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, stdout, stderr };
}

/**
 * Runs commands. A row has what is tried, the command, and what must hold: a number is the exit status, which is otherwise 0; a text is the
 * standard output; a pattern matches what is printed on both outputs; a function is true of the standard output.
 */
export async function tryCommands(name, rows) {
  for (const [what, [program, ...args], ...expected] of rows) {
    const { status, stdout, stderr } = await runAsync(program, args);
    const printed = `${stdout}\n${stderr}`.replaceAll("\r", "");
    const holds = (each) =>
      each instanceof RegExp
        ? each.test(printed)
        : typeof each === "function"
          ? each(stdout)
          : stdout === each;
    const [exit = 0] = expected.filter((each) => typeof each === "number");
    const others = expected.filter((each) => typeof each !== "number");
    check(`${name}: ${what}`, status === exit && others.every(holds), `exit ${status} ${printed}`);
  }
}

/** Whether a program is installed, after trying to install its Debian package; says that a trial is skipped if not. */
export function hasDebian(program, debianPackage = program) {
  const isThere = () => run("sh", ["-c", `command -v ${program}`], { env: ENV }).status === 0;
  if (!isThere() && process.getuid?.() === 0) {
    const install = `apt-get update && apt-get install -y --no-install-recommends ${debianPackage}`;
    run("sh", ["-c", install], { seconds: 300, stdio: "ignore" });
  }
  const found = isThere();
  if (!found) {
    console.log(`skipped: needs Debian's ${debianPackage}`);
  }
  return found;
}

/** Runs the trials that the command line names, or all of them, with a folder for files and a certificate. */
export async function runTrials(trials, prepareContext = () => ({})) {
  const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(trials);
  const unknown = names.find((name) => trials[name] === undefined);
  if (unknown !== undefined) {
    throw new Error(`there is no ${unknown}, but ${Object.keys(trials).join(", ")}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "utility-tools-clients-"));
  try {
    const context = { folder, certificate: makeCertificate(folder), ...(await prepareContext()) };
    for (const name of names) {
      console.log(`\n${name}`);
      await trials[name](context);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  conclude();
}
