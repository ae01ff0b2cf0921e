import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { mustRun } from "connect-transcoding-testing/checks.mjs";
import { prepared } from "connect-transcoding-testing/programs.mjs";
import { ROOT } from "../../lib/processes/service.js";
import type { Podman } from "./podman.js";

/** The packages that the base image of the last stage is made of. */
const RUNTIME = "base-files,netbase,tzdata,media-types,libc6";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Makes stand-ins for base images, where no registry of images can be reached: from Debian's packages, npm's package of Node, and npm of
 * this machine. Those of the last stage have no shell.
 */
export async function makeStandIns(podman: Podman, names: ReadonlySet<string>): Promise<void> {
  const nodeVersion = /node:([\d.]+)/.exec([...names].join(" "))?.[1] ?? "";
  const folder: string = prepared(
    "container",
    [join(ROOT, "deploy", "Containerfile"), import.meta.filename],
    (at: string) => {
      const node = `node-linux-${process.arch}@${nodeVersion}`;
      mustRun("npm", ["install", "--no-save", "--no-package-lock", "--prefix", at, node], { seconds: 300 });
      const debian = (variant: string, packages: string, file: string, ...more: string[]) =>
        mustRun(
          "mmdebstrap",
          ["--quiet", `--variant=${variant}`, `--include=${packages}`, ...more, "trixie", join(at, file)],
          { seconds: 600 },
        );
      debian("apt", "ca-certificates", "build.tar", `--customize-hook=sync-in ${layOut(at)} /`);
      const makeFolder = `--customize-hook=mkdir -p "$1${dirname(CERTIFICATES)}"`;
      const upload = `--customize-hook=upload ${CERTIFICATES} ${CERTIFICATES}`;
      debian("extract", RUNTIME, "runtime.tar", makeFolder, upload);
    },
  );
  for (const name of names) {
    const isBuild = name.includes("node:");
    await podman.run(
      "import",
      "--change",
      "ENV PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      join(folder, isBuild ? "build.tar" : "runtime.tar"),
      name,
    );
  }
}

/** Makes a folder with Node, npm and the certificates of this machine at their places in the image. Returns its path. */
function layOut(at: string): string {
  const root = join(at, "root");
  const local = join(root, "usr", "local");
  for (const name of ["bin", "etc", "lib/node_modules"]) {
    mkdirSync(join(local, name), { recursive: true });
  }
  mkdirSync(join(root, dirname(CERTIFICATES)), { recursive: true });
  copyFileSync(
    join(at, "node_modules", `node-linux-${process.arch}`, "bin", "node"),
    join(local, "bin", "node"),
  );
  copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
  const npm = mustRun("npm", ["root", "--global"]).stdout.trim();
  mustRun("cp", ["-RL", join(npm, "npm"), join(local, "lib", "node_modules", "npm")]);
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(local, "bin", "npm"));
  mustRun("sh", ["-c", `echo cafile=${CERTIFICATES} > "$0"`, join(local, "etc", "npmrc")]);
  return root;
}
