// `npm run check -- engines [--full] [--addresses N] [--engine NAME]`: runs the recipes of docs/guide/more-than-one-machine.md with exports of the built
// service, and compares their answers with those of `utility-tools geoip`.
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { check, conclude, mustRun, run, temporaryFolder } from "connect-transcoding-testing/checks.mjs";
import { pythonPrograms } from "connect-transcoding-testing/programs.mjs";
import { ipAddress } from "../../src/text/ip-address.js";
import { randomNumbers } from "../../test/tools/geoip/draw-addresses.js";
import { mmdbBytes, toBytes } from "../../test/tools/geoip/test-databases.js";
import { ROOT, startService } from "../lib/processes/service.js";

const ENGINES = [
  ...[
    "DuckDB",
    "ClickHouse",
    "ClickHouse with a dictionary",
    "Polars",
    "PostgreSQL",
    "Spark",
    "Without an export",
  ],
];
const PAGE = join(ROOT, "docs/guide/more-than-one-machine.md");
const MAIN = join(ROOT, "dist/src/main.js");
const HOUR = 3_600;

const { values: options } = parseArgs({
  options: {
    // The installed data, instead of small files of one's own.
    full: { type: "boolean", default: false },
    addresses: { type: "string", default: "20000" },
    engine: { type: "string", multiple: true, default: ENGINES },
  },
});
const requirements = options.engine.includes("Spark") ? "with-spark.txt" : "requirements.txt";
const python = join(pythonPrograms("engines", join(import.meta.dirname, requirements)), "bin/python");
const folder = temporaryFolder("engines");
// The user of PostgreSQL has its files in it.
chmodSync(folder, 0o755);
const data = options.full ? {} : ownFiles();
const env = { ...process.env, ...data };

for (const format of ["parquet", "csv"]) {
  const file = `geoip.${format}`;
  timed(`export of ${format}`, process.execPath, [
    MAIN,
    "export",
    "geoip",
    "--format",
    format,
    "--output",
    file,
  ]);
}
const script = join(import.meta.dirname, "engines.py");
mustRun(python, [script, "addresses", folder, options.addresses], { seconds: HOUR });
// Addresses without data are errors, so that its exit status is 1.
const lookups = `${process.execPath} ${MAIN} geoip --json --view full -f distinct.txt 2>errors >lookups.jsonl; true`;
timed("lookups in the terminal", "sh", ["-c", lookups]);
for (const engine of options.engine) {
  await tryEngine(engine);
}
conclude();

/** Runs a program in the folder, and checks that it succeeds. */
function timed(what: string, program: string, args: readonly string[]): void {
  const start = performance.now();
  const { status, stderr } = run(program, args, { cwd: folder, env, seconds: HOUR });
  check(`${what}: ${((performance.now() - start) / 1_000).toFixed(1)} s`, status === 0, stderr);
}

async function tryEngine(engine: string): Promise<void> {
  if (engine === "Spark" && run("which", ["java"]).status !== 0) {
    console.log("skipped: Spark requires java");
    return;
  }
  const bin = postgresPrograms();
  if (engine === "PostgreSQL" && bin === undefined) {
    console.log("skipped: PostgreSQL requires postgresql");
    return;
  }
  const postgres = engine === "PostgreSQL" && bin ? startPostgres(bin) : undefined;
  const service = engine === "Without an export" ? await startService({ environment: data }) : undefined;
  const local = { SPARK_LOCAL_IP: "127.0.0.1", PYSPARK_PYTHON: python, URL: service?.url ?? "" };
  const ran = run(python, [script, engine, folder, PAGE], {
    env: { ...env, ...postgres?.env, ...local },
    seconds: HOUR,
  });
  postgres?.stop();
  await service?.end();
  const lines = ran.stdout.trim().split("\n");
  const found = ran.status === 0 ? JSON.parse(lines.at(-1) ?? "") : undefined;
  check(
    `${engine}: ${found?.answers} answers, ${found?.cpu.toFixed(1)} s of processor time, ${found?.megabytes.toFixed(0)} MB, ${found?.differences} differences`,
    found?.differences === 0 && found.answers > 0,
    ran.stdout + ran.stderr,
  );
}

/** Returns the folder with the programs of Debian's newest PostgreSQL; undefined if it is not installed. */
function postgresPrograms(): string | undefined {
  const all = "/usr/lib/postgresql";
  const [version] = existsSync(all) ? readdirSync(all).sort().reverse() : [];
  return version && join(all, version, "bin");
}

/** Starts PostgreSQL on a socket in the folder. It does not run as root. */
function startPostgres(bin: string) {
  const data = join(folder, "postgres");
  mkdirSync(data, { recursive: true });
  const isRoot = process.getuid?.() === 0;
  const asUser = (...args: readonly string[]) =>
    isRoot ? mustRun("runuser", ["-u", "postgres", "--", ...args]) : mustRun(args[0] ?? "", args.slice(1));
  if (isRoot) {
    mustRun("chown", ["postgres", data]);
  }
  asUser(join(bin, "initdb"), "-D", join(data, "db"), "-A", "trust", "-U", "postgres", "--locale", "C.UTF-8");
  const settings = `-c listen_addresses= -c unix_socket_directories=${data}`;
  asUser(join(bin, "pg_ctl"), "-D", join(data, "db"), "-l", join(data, "log"), "-o", settings, "-w", "start");
  return {
    env: { PGHOST: data, PGUSER: "postgres", PGDATABASE: "postgres" },
    stop: () => asUser(join(bin, "pg_ctl"), "-D", join(data, "db"), "-m", "fast", "stop"),
  };
}

/** Writes files with random networks, as users have them. Returns the settings that name them. */
function ownFiles(): Readonly<Record<string, string>> {
  const random = randomNumbers(7n);
  const blocks = <T>(recordOf: (number: number) => T) =>
    Object.fromEntries(
      Array.from({ length: 4_000 }, (_, index) => {
        const bits = index % 2 === 0 ? 32 : 128;
        const length = (bits === 32 ? 12 : 20) + Number(random(4));
        const start = bits === 32 ? random(32) : (1n << 125n) | random(124);
        const host = BigInt(bits - length);
        const { text } = ipAddress(toBytes((start >> host) << host, bits));
        return [`${text}/${length}`, recordOf(Number(random(8)))];
      }),
    );
  const city = mmdbBytes(
    blocks((number) => ({
      country: { iso_code: ["FR", "DE", "US", "ZZ"][number % 4] ?? "" },
      location: { latitude: number / 3, longitude: -number / 7 },
      subdivisions: { "0": { names: { en: "Ontario" } } },
      city: { names: { en: `Town "${number}", north` } },
    })),
  );
  const asn = mmdbBytes(
    blocks((number) => ({
      autonomous_system_number: number,
      autonomous_system_organization: `System ${number}`,
    })),
  );
  const files = { GEOIP_CITY_FILES: join(folder, "city.mmdb"), GEOIP_ASN_FILES: join(folder, "asn.mmdb") };
  writeFileSync(files.GEOIP_CITY_FILES, city);
  writeFileSync(files.GEOIP_ASN_FILES, asn);
  return files;
}
