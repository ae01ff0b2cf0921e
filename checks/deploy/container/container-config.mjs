// Converts the output of `buildah inspect` (standard input) into the config.json of runc in the current folder, with a
// read-only file system and the network of this machine. Arguments: the root folder of the image, and additional
// environment variables. With `--health-check`, prints the arguments of the image's health check instead, each followed
// by NUL.
import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const { config } = JSON.parse(await text(process.stdin)).Docker;
const [first, ...environment] = process.argv.slice(2);
if (first === "--health-check") {
  const [kind, ...words] = config.Healthcheck.Test;
  if (kind !== "CMD") {
    throw new Error("the health check is not a command");
  }
  process.stdout.write(words.map((word) => `${word}\0`).join(""));
} else {
  const passwd = readFileSync(`${first}/etc/passwd`, "utf8");
  const [, uid, gid] = new RegExp(`^${config.User}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwd) ?? [];
  if (uid === undefined || uid === "0") {
    throw new Error("the image runs as root or as an unknown user");
  }
  const spec = JSON.parse(readFileSync("config.json", "utf8"));
  spec.root = { path: first, readonly: true };
  Object.assign(spec.process, {
    terminal: false,
    user: { uid: Number(uid), gid: Number(gid) },
    args: config.Cmd,
    cwd: config.WorkingDir,
    env: [...config.Env, ...environment],
  });
  // Other isolation depends on the machine and is not tested here.
  spec.linux.namespaces = spec.linux.namespaces.filter(({ type }) => !["network", "cgroup"].includes(type));
  spec.mounts = spec.mounts.filter(({ type }) => !["cgroup", "sysfs"].includes(type));
  delete spec.linux.resources;
  writeFileSync("config.json", JSON.stringify(spec));
}
