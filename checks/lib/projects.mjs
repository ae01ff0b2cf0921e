// Shared by suites that install packages into empty projects.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, mustRun } from "connect-transcoding-testing/checks.mjs";

/** Creates an empty project in a folder, and installs packages into it. All go into one command: tarballs depend on each other. */
export function createProject(folder, packages, env) {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  install(folder, packages, env);
  return folder;
}

export function install(folder, packages, env = process.env) {
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  mustRun("npm", ["install", ...flags, ...packages], { cwd: folder, env, seconds: 600 });
}

/** The size of the installed packages of a project, in units of 1,024 bytes. */
export function installedSize(folder) {
  return Number(mustRun("du", ["-sk", "node_modules"], { cwd: folder }).stdout.split("\t")[0]);
}

/** Checks that a service has data of an address of Google. */
export async function checkLookUp(what, url) {
  const response = await fetch(`${url}/v1/geoIp?ip_address=8.8.8.8`);
  const body = await response.text();
  check(what, response.status === 200 && /"asn": ?15169/.test(body), body);
}
