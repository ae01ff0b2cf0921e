import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { checkEqual, conclude, mustRun, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { raisePriority } from "connect-transcoding-testing/processes/priority.js";
import { packPackages } from "../../../scripts/release/pack.mjs";
import { ROOT, type Service, startService } from "../../lib/processes/service.js";
import { ask, REST_PATH } from "../proxies/requests.js";
import { sendLoad } from "../scenarios/clients.js";
import { type Ports, startShippedEnvoy } from "../shipped.js";

// Goes the way of an operator, with the commands of deploy/systemd.md below a folder in place of /: installs the packed package, makes a key,
// starts two replicas behind Envoy, and under load updates the data and upgrades the replicas. A stand-in for systemctl runs the units.

/** Requests per second. */
const RATE = 300;
const root = temporaryFolder("path");
// The dynamic user of the units reads files below it.
chmodSync(root, 0o755);
const ports: Ports = [await freePort(), await freePort()];
const serverPort = await freePort();
const inRoot = (text: string): string => text.replace(/(?<![\w.])\/(?=opt\/|etc\/|var\/)/g, `${root}/`);
const [install, start, keys, update, replicas, installNew, upgrade] = commandsOf("systemd.md");
const execute = promisify(execFile);
const running = new Map<string, Service>();

/** Returns the blocks of commands of a page. Registry, ports and limit differ. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, "deploy", page), "utf8")
    .replaceAll(/^(?:CLONE=|git -C "\$CLONE"|npm --prefix "\$CLONE").*\n/gm, "")
    .replaceAll(
      /^(npm install --prefix \/opt\/utility-tools-([\d.]+)) .*$/gm,
      (_, command, version) => `${command} "${root}/utility-tools-${version}.tgz"`,
    )
    .replace(/RATE_LIMIT=\S+/, "RATE_LIMIT=1000000/1m")
    .replaceAll("8081", String(ports[0]))
    .replaceAll("8082", String(ports[1]));
  return [...text.matchAll(/^```sh(?: install)?\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => inRoot(block));
}

/** Packs the service as it is published, with the two versions of the page. */
function packVersions(): void {
  const packed = join(root, "packed");
  const [{ tarball } = { tarball: "" }] = packPackages({ repository: "https://a.example" }, packed, [""]);
  const script = `tar -xf "${tarball}"
    for version in 0.1.0 0.2.0; do
      sed -i 's/^  "version": .*/  "version": "'$version'",/' package/package.json
      tar --use-compress-program='gzip -1' -cf "${root}/utility-tools-$version.tgz" package
    done`;
  mustRun("sh", ["-ec", script], { cwd: packed });
}

/** Returns the command of a unit with its environment; the instance is that of a template. */
function commandOf(name: string, instance = ""): string[] {
  const unit = inRoot(readFileSync(`${root}/etc/systemd/system/${name}.service`, "utf8"));
  const all = (key: string): string[] =>
    [...unit.matchAll(new RegExp(`^${key}=-?(.*)$`, "gm"))].map(([, value = ""]) => value);
  const files = all("EnvironmentFile").map((file) => `[ ! -f ${file} ] || . ${file}`);
  const start = `cd ${all("WorkingDirectory")}\nexec ${all("ExecStart")}`;
  const script = ["set -a", ...all("Environment"), ...files, start].join("\n");
  return ["sh", "-c", script.replace("%i", instance).replace("/usr/bin/node", process.execPath)];
}

/** What systemctl does: restarts an instance of the template, or runs the update. */
async function control(unit: string): Promise<void> {
  const [name = "", instance] = unit.split("@");
  if (instance !== undefined) {
    await running.get(instance)?.end();
    running.set(instance, await startService({ command: commandOf(`${name}@`, instance) }));
  } else if (name === "utility-tools-update") {
    await execute("sh", commandOf(name).slice(1));
  }
}

/** Receives the calls of systemctl, and publishes data. */
const server = createServer(({ url = "" }, response) => {
  if (url.endsWith(".mmdb")) {
    response.end(readFileSync(join(ROOT, "data", "asn.mmdb")));
    return;
  }
  const failed = (error: unknown) => response.writeHead(500).end(String(error));
  control(url.slice(1)).then(() => response.end(), failed);
}).listen(serverPort, "127.0.0.1");

/** Makes the folders of a fresh machine, and stand-ins for programs of systemd. */
function makeMachine(): void {
  for (const folder of ["opt", "etc/systemd/system", "etc/utility-tools", "var/lib/utility-tools", "bin"]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  const url = `http://127.0.0.1:${serverPort}`;
  const write = (file: string, text: string) => writeFileSync(join(root, file), text, { mode: 0o755 });
  write("bin/systemctl", `#!/bin/sh\nfor unit; do curl --fail --silent "${url}/$unit" || exit; done\n`);
  write("bin/journalctl", "#!/bin/sh\n");
  write("etc/utility-tools/update", `DATA_CITY_SOURCE=none\nDATA_ASN_SOURCE=${url}/asn.mmdb\n`);
}

/** Runs commands of the page. Resolves to what they print, and throws an Error if one fails. */
async function follow(commands = ""): Promise<string> {
  const PATH = `${root}/bin:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, npm_config_audit: "false" };
  return (await execute("sh", ["-ec", commands], { env, cwd: join(root, "etc/systemd/system") })).stdout;
}

/** Returns the version of each replica that has handled look-ups. */
function busyVersions(): Promise<(string | undefined)[]> {
  return Promise.all(
    ports.map(async (port) => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
      const isBusy = /^utility_tools_requests_total\{[^}]*LookupIp[^}]*\} [1-9]/m.test(text);
      return isBusy ? /build_info\{version="([^"]+)"/.exec(text)?.[1] : undefined;
    }),
  );
}

raisePriority();
packVersions();
makeMachine();
await follow(`${install}${start}`);
const made = await follow(keys);
const headers = { authorization: `Bearer ${/ut_[\w-]+/.exec(made)}` };
await follow(replicas);
const envoy = await startShippedEnvoy(ports);
const statuses = [
  await ask(envoy, REST_PATH),
  await ask(envoy, REST_PATH, { headers }),
  await ask(envoy, "/metrics", { headers }),
];
const found = statuses.map(({ status }) => status);
checkEqual("without a key, with it, and the metrics from outside", found, [401, 200, 404]);
const policy = statuses[1]?.headers["ratelimit-policy"];
checkEqual("the limit is in the response", policy, '"default";q=1000000;w=60');
const work = async (): Promise<void> => {
  await wait(2_000);
  checkEqual("both replicas handle requests and have metrics", await busyVersions(), ["0.1.0", "0.1.0"]);
  await follow(update);
  await Promise.all([...running.values()].map((service) => service.says(/"data replaced"/g, 1)));
  await follow(`${installNew}${upgrade}`);
  await wait(2_000);
};
const load = await sendLoad(envoy.url, RATE, { ca: envoy.ca }, work, headers);
checkEqual("both replicas run the new version", await busyVersions(), ["0.2.0", "0.2.0"]);
const lost = load.failed.map(({ protocol, failure }) => `${protocol}: ${failure}`);
checkEqual(`of ${load.requests} requests, 0 are lost`, [...new Set(lost)], []);
await envoy.stop();
const ends = await Promise.all([...running.values()].map((service) => service.end()));
checkEqual("the replicas stop with 0", ends, [0, 0]);
server.close();
conclude();
