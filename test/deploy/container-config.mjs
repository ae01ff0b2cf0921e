// Reads what `buildah inspect` says of an image and makes of it what runc is to run, in config.json of the current folder:
// on files that cannot be written, and on the network of this machine. Arguments: the image's files, and more for the
// environment. With `--health-check`, writes the words of the image's health check instead, each with a NUL behind it.
import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

const { config } = JSON.parse(await text(process.stdin)).Docker;
const [first, ...environment] = process.argv.slice(2);
if (first === "--health-check") {
  const [kind, ...words] = config.Healthcheck.Test;
  if (kind !== "CMD") {
    throw new Error("the health check is no command");
  }
  process.stdout.write(words.map((word) => `${word}\0`).join(""));
} else {
  const passwd = readFileSync(`${first}/etc/passwd`, "utf8");
  const [, uid, gid] = new RegExp(`^${config.User}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwd) ?? [];
  if (uid === undefined || uid === "0") {
    throw new Error("the image has root run it, or a user whom it does not know");
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
  // What else there is to isolate depends on the machine, and nothing here is about it.
  spec.linux.namespaces = spec.linux.namespaces.filter(({ type }) => !["network", "cgroup"].includes(type));
  spec.mounts = spec.mounts.filter(({ type }) => !["cgroup", "sysfs"].includes(type));
  delete spec.linux.resources;
  writeFileSync("config.json", JSON.stringify(spec));
}
