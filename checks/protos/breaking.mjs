// Compares the protos with those of the last tag. buf.yaml and packages/buf.yaml say which changes break clients.
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { installBuf } from "connect-transcoding-testing/buf.mjs";
import { mustRun, run, temporaryFolder } from "connect-transcoding-testing/checks.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const BUF = installBuf();
const MODULES = ["proto", "packages/connect-transcoding/proto"];

const last = run("git", ["describe", "--tags", "--abbrev=0", "--match", "v*"], { cwd: ROOT });
const tag = last.stdout.trim();
if (last.status !== 0 || tag === "") {
  console.log("there is no tag yet, so there is nothing to compare the protos with");
} else {
  compareWith(tag);
}

/** Sets the exit code to 1 if the protos break clients of a tag. */
function compareWith(tag) {
  const folder = temporaryFolder("breaking");
  const archive = join(folder, "tag.tar");
  mustRun("git", ["archive", "--output", archive, tag], { cwd: ROOT });
  mustRun("tar", ["-xf", archive, "-C", folder]);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  for (const module of MODULES) {
    const image = join(folder, "tag.binpb");
    mustRun(BUF, ["build", module, "--output", image], { cwd: folder });
    const { status } = run(BUF, ["breaking", module, "--against", image, "--exclude-imports"], {
      cwd: ROOT,
      stdio: "inherit",
    });
    console.log(`${module}: ${status === 0 ? "no breaking changes" : "breaking changes"} since ${tag}`);
    process.exitCode ||= status === 0 ? 0 : 1;
  }
}
