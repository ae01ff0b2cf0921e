import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, startServer } from "connect-transcoding-testing/checks.mjs";
import { NAMES } from "../../scripts/release/install.mjs";

const VERDACCIO = join(import.meta.dirname, "node_modules", ".bin", "verdaccio");

/** Names that must never come from the public registry. It has a package of a stranger that is named like the command. */
const OWN = [...NAMES, "utility-tools"];

/**
 * Starts a registry on this machine, in a folder. It has only what is published to it, and passes requests for other packages on.
 *
 * @param uplink the registry for other packages
 * @returns its URL, the path of a file with settings of npm that use it, a function that returns the requests for our packages, such as
 *   "PUT connect-transcoding", and one that stops it
 */
export async function startRegistry(folder, uplink) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const log = join(folder, "registry.log");
  const rules = [
    ...OWN.map((name) => [name, { access: "$all", publish: "$all", unpublish: "$all" }]),
    ["**", { access: "$all", proxy: "npmjs" }],
  ];
  const config = {
    storage: join(folder, "storage"),
    uplinks: { npmjs: { url: uplink, maxage: "60m", timeout: "120s" } },
    packages: Object.fromEntries(rules),
    max_body_size: "200mb",
    log: { type: "file", path: log, format: "json", level: "info" },
    publish: { allow_offline: true },
  };
  // JSON is YAML.
  const file = join(folder, "verdaccio.yaml");
  writeFileSync(file, JSON.stringify(config));
  const args = ["--config", file, "--listen", `127.0.0.1:${port}`];
  const { isReady, stop } = await startServer(`${url}-/ping`, VERDACCIO, args);
  if (!isReady) {
    throw new Error("the registry does not respond");
  }
  const npmrc = join(folder, "npmrc");
  // npm publishes only with a token, whether or not the registry looks at it.
  writeFileSync(
    npmrc,
    `registry=${url}\n//127.0.0.1:${port}/:_authToken=rehearsal\naudit=false\nfund=false\n`,
  );
  return { url, npmrc, requests: () => requestsIn(readFileSync(log, "utf8")), stop };
}

function requestsIn(log) {
  const requests = [...log.matchAll(/ requested '(\w+) \/([^'?]+)/g)];
  return requests.flatMap(([, method, path]) => {
    const name = decodeURIComponent(path);
    return NAMES.includes(name) ? `${method} ${name}` : [];
  });
}
