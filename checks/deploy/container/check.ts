import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "connect-transcoding-testing/certificate.mjs";
import { check, checkEqual, conclude, run } from "connect-transcoding-testing/checks.mjs";
import { freePort } from "connect-transcoding-testing/ports.js";
import { ROOT } from "../../lib/processes/service.js";
import { repeat, sendLoad } from "../scenarios/clients.js";
import { createPodman } from "./podman.js";
import { makeStandIns } from "./stand-ins.js";

// Builds deploy/Containerfile and runs the image as operators should: as user 1000, without capabilities, on a read-only file system.

/** The largest sizes of the image and of its data, in MB. */
const MAX_SIZE = 200;
const MAX_DATA_SIZE = 70;
const IMAGE = "localhost/utility-tools";
const USER = 1_000;
const ASN = join(ROOT, "data", "asn.mmdb");

const work = mkdtempSync(join(tmpdir(), "utility-tools-container-"));
// User 1000 reads files below it.
chmodSync(work, 0o755);
const podman = createPodman(work, IMAGE);

/** Builds the image from the base images in the Containerfile, or from stand-ins without their digests. */
async function build(): Promise<void> {
  const text = readFileSync(join(ROOT, "deploy", "Containerfile"), "utf8");
  const bases = [...text.matchAll(/^FROM (?:--\S+ )?(\S+)(@sha256:\S+)/gm)];
  const [[, name = "", digest = ""] = []] = bases;
  const canPull = (await podman.attempt("pull", "--quiet", `${name}${digest}`)).status === 0;
  if (!canPull) {
    console.log("no registry of images can be reached: the base images are stand-ins");
    await makeStandIns(podman, new Set(bases.map(([, base = ""]) => base)));
  }
  const file = join(work, "Containerfile");
  writeFileSync(file, canPull ? text : text.replace(/@sha256:\S+/g, ""));
  const options = ["--isolation=chroot", "--network=host", "--format=docker", "--build-arg=VERSION=1.2.3"];
  await podman.run(
    "build",
    ...options,
    `--pull=${canPull ? "missing" : "never"}`,
    `--file=${file}`,
    `--tag=${IMAGE}`,
    ".",
  );
}

async function inspectImage(): Promise<void> {
  const layers: readonly { readonly size: number }[] = JSON.parse(
    await podman.run("history", "--format=json", IMAGE),
  );
  const size = layers.reduce((sum, layer) => sum + layer.size, 0) / 1e6;
  check(`the image has at most ${MAX_SIZE} MB: ${size.toFixed(1)}`, size <= MAX_SIZE);
  const root = (await podman.run("image", "mount", IMAGE)).trim();
  const data = Number(
    run("du", ["--summarize", "--block-size=1000000", `${root}/app/data`]).stdout.split("\t")[0],
  );
  check(`and its data at most ${MAX_DATA_SIZE} MB: ${data}`, data <= MAX_DATA_SIZE);
  const files = run("find", [root, "-type", "f", "-printf", "%P\n"]).stdout.split("\n");
  const found = (pattern: RegExp) => files.filter((file) => pattern.test(file));
  checkEqual("it has no types, maps or sources", found(/^app\/.*(?:\.[cm]?ts|\.map)$/), []);
  checkEqual(
    "it has no npm, no compiler and no shell",
    found(/\/(?:npm|typescript|vite|rolldown)\/|bin\/(?:ba|da)?sh$/),
    [],
  );
  check("it has the licenses of packages", found(/^app\/dist\/.*licenses\.md$/).length > 0);
  const label = await podman.run(
    "inspect",
    '--format={{index .Config.Labels "org.opencontainers.image.version"}}',
    IMAGE,
  );
  checkEqual("its version is a label", label.trim(), "1.2.3");
}

/** The arguments of the image are those of the program. */
const COMMANDS: readonly (readonly [args: readonly string[], printed: RegExp])[] = [
  [["--version"], /^utility-tools \d/],
  [["--help"], /update-data/],
  [["make-key", "ci"], /^ut_/],
  [["geoip", "8.8.8.8"], /15169/],
  [["update-data", "--check"], /origin-asn/],
  [["serve", "--check"], /settings and files are valid/],
];

async function runCommands(): Promise<void> {
  for (const [args, expected] of COMMANDS) {
    const { status, stdout, stderr } = await podman.runImage([], args);
    check(
      `it runs ${args.join(" ")}`,
      status === 0 && expected.test(stdout),
      `${status}: ${stdout}${stderr}`,
    );
  }
  const publisher = createServer((_, response) => response.end(readFileSync(ASN)));
  await new Promise<void>((resolve) => {
    publisher.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}/asn.mmdb`;
  const update = ["update-data", "--city-source=none", `--asn-source=${url}`];
  const { stdout, stderr } = await podman.runImage(["--volume=data:/var/lib/utility-tools"], update);
  check("update-data fills a volume", /^asn: replaced by the file/.test(stdout), `${stdout}${stderr}`);
  publisher.close();
}

/** Starts the image in several ways. Each must become healthy, respond and stop with 0. */
async function runService(): Promise<void> {
  const { cert, key } = makeCertificate(work);
  chownSync(key, USER, USER);
  const tls = [
    "--env=TLS_CERT_FILE=/tls/tls.pem",
    "--env=TLS_KEY_FILE=/tls/tls.key",
    `--volume=${work}/tls.pem:/tls/tls.pem:ro`,
    `--volume=${key}:/tls/tls.key:ro`,
  ];
  const cases: Readonly<
    Record<string, readonly [scheme: string, options: readonly string[], flags?: readonly string[]]>
  > = {
    "with PORT": ["http", []],
    "with --port": ["http", ["--env=PORT=1"], ["--port"]],
    "with two workers": ["http", ["--env=WORKERS=2"]],
    "with TLS": ["https", tls],
    "with the data of a volume": ["http", ["--volume=data:/var/lib/utility-tools:ro"]],
  };
  for (const [how, [scheme, options, flags]] of Object.entries(cases)) {
    const port = String(await freePort());
    const environment = flags === undefined ? [`--env=PORT=${port}`] : [];
    check(
      `it becomes healthy ${how}`,
      await podman.start("service", [...environment, ...options], flags && [...flags, port]),
    );
    const url = `${scheme}://127.0.0.1:${port}/v1/geoIp?ip_address=8.8.8.8`;
    const { stdout } = run("curl", ["--silent", "--cacert", cert, "--max-time", "5", url]);
    check(`it responds ${how}`, stdout.includes('"asn":15169'), stdout);
    const pid = (await podman.run("inspect", "--format={{.State.Pid}}", "service")).trim();
    const [, uid] = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const [, rights] = /^CapEff:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    checkEqual(
      `it is user ${USER} without capabilities ${how}`,
      [uid, rights],
      [String(USER), "0".repeat(16)],
    );
    checkEqual(`it stops with 0 ${how}`, await podman.stop("service"), "0");
  }
}

/** Replaces the data under load, in a container with 512 MB. */
async function reloadWithLittleMemory(): Promise<void> {
  const [port, at] = [await freePort(), join(work, "state")];
  mkdirSync(at);
  const options = [
    "--memory=512m",
    "--memory-swap=512m",
    `--volume=${at}:/var/lib/utility-tools:ro`,
    `--env=PORT=${port}`,
  ];
  check("it becomes healthy with 512 MB", await podman.start("small", options));
  let reloads = 0;
  const { requests, failed, p99 } = await sendLoad(`http://127.0.0.1:${port}`, 100, {}, () =>
    repeat(30, 5_000, async () => {
      copyFileSync(ASN, join(at, "next"));
      renameSync(join(at, "next"), join(at, "asn.mmdb"));
      reloads++;
    }),
  );
  const state = await podman.run("inspect", "--format={{.State.OOMKilled}} {{.State.Running}}", "small");
  const logged = (await podman.run("logs", "small")).match(/data replaced/g)?.length ?? 0;
  console.log(`${requests} requests, ${reloads} new files, ${logged} reloads, p99 ${p99.toFixed(0)} ms`);
  checkEqual("it survives reloads under load with 512 MB", state.trim(), "false true");
  checkEqual("and loses no request", [...new Set(failed.map(({ failure }) => failure))], []);
  check("and has reloaded each time", logged === reloads, await podman.run("logs", "small"));
  await podman.stop("small");
}

try {
  await build();
  await inspectImage();
  await runCommands();
  await runService();
  await reloadWithLittleMemory();
} finally {
  await podman.attempt("rm", "--all", "--force");
  await podman.attempt("image", "unmount", "--all");
  await podman.attempt("rmi", "--all", "--force");
  rmSync(work, { recursive: true, force: true });
}
conclude();
