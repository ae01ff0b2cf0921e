import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { defaultGeoIpPaths } from "../../src/tools/geoip/load-geoip.js";
import { openMmdb } from "../../src/tools/geoip/mmdb-reader.js";
import { isInEuropeanUnion, readAsnRecord } from "../../src/tools/geoip/records.js";
import { RESERVED_BLOCKS } from "../../src/tools/geoip/special-purpose.js";
import { networksOf } from "../../test/tools/geoip/draw-addresses.js";
import { ROOT } from "../lib/service.js";

/** The folder of the Go module, relative to the package. */
const MODULE = "checks/bench/go";

/** Generates the Go code of the protos, builds the servers in Go into `folder`, and returns the program. Throws an Error if that fails. */
export function buildGoPeer(folder: string): string {
  const plugin = (name: string) => ({
    local: ["go", "-C", MODULE, "tool", name],
    out: join(MODULE, "gen"),
    opt: ["paths=source_relative"],
  });
  const template = {
    version: "v2",
    clean: true,
    managed: { enabled: true, override: [{ file_option: "go_package_prefix", value: "bench/gen" }] },
    plugins: [plugin("protoc-gen-go"), plugin("protoc-gen-go-grpc")],
  };
  const paths = ["--path", "proto/utilitytools/v1/geoip.proto", "--include-imports"];
  run("node", ["checks/lib/buf.mjs", "generate", ".", ...paths, "--template", JSON.stringify(template)]);
  const streams = { ...template, clean: false };
  run("node", [
    "checks/lib/buf.mjs",
    "generate",
    "checks/bench/proto",
    "--template",
    JSON.stringify(streams),
  ]);
  const peer = join(folder, "peer");
  run("go", ["-C", MODULE, "build", "-o", peer, "./peer"]);
  return peer;
}

function run(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(" ")} failed: ${error ?? stderr}`);
  }
}

/**
 * Writes the file from which the Go servers read where the data is, and what is in the source code of the service. They read
 * the MMDB file that the installed locations are made from; it is written beside this one.
 */
export async function writeGeoIpData(path: string): Promise<void> {
  const city = `${path}.mmdb`;
  run(process.execPath, ["--import", "./test/typescript.mjs", "data/build/write-city-mmdb.ts", city]);
  const asn = resolve(defaultGeoIpPaths().asn[0] ?? "");
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const data = {
    city,
    asn,
    names: await correctedNames(asn),
    special: RESERVED_BLOCKS.map(({ block }) => block),
    eu: codes.filter(isInEuropeanUnion),
  };
  await writeFile(path, JSON.stringify(data));
}

/** Returns the names of the systems that the service corrects, by number; empty for a reserved number. */
async function correctedNames(asn: string): Promise<Record<number, string>> {
  const opened = openMmdb(await readFile(asn), (record) => record as Record<string, string | number>);
  if (!opened.ok) {
    throw new Error(opened.failure.description);
  }
  const names: Record<number, string> = {};
  for (const family of [4, 6] as const) {
    for (const { record } of networksOf({ 4: opened.value, 6: opened.value }, family)) {
      const { autonomous_system_number: number, autonomous_system_organization: name } = record ?? {};
      const corrected = readAsnRecord(record);
      if (number !== undefined && (corrected?.name ?? "") !== name) {
        names[Number(number)] = corrected?.name ?? "";
      }
    }
  }
  return names;
}
