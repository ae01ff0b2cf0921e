import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { useListening } from "connect-transcoding-testing/use-listening.js";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pauseAfter } from "../../../src/cli/own-commands/update-data.js";
import { PACKAGE_FOLDER } from "../../../src/installed-package.js";
import { defaultGeoIpPaths } from "../../../src/tools/geoip/load-geoip-files.js";
import { databaseFile, type FakePublishers, startPublishers } from "../../data-update/fake-publishers.js";
import { MAIN } from "../../support/programs.js";
import { runHere } from "../run-tools.js";
import { hasTerminal, type } from "../terminal.js";

/** Days on which data is not old yet, and newer than the installed one. */
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const CITY_DAY = dayBefore(20);
const ASN_DAY = dayBefore(18);

const CITY = databaseFile({ type: "Test", built: CITY_DAY });
const ASN = databaseFile({ type: "Test", built: ASN_DAY });

let fake: FakePublishers;
let folder: string;

/** What an update prints whose publisher cannot be reached. It tries three times within six seconds, in which other tests run. */
let unreachable: ReturnType<typeof runHere>;
const emptyFolder = mkdtempSync(join(tmpdir(), "update-data-"));

beforeAll(async () => {
  fake = await startPublishers();
  // No server listens on this port: systems do not assign it.
  unreachable = runHere(["update-data", "--city-source", "http://127.0.0.1:2/"], {
    env: { DATA_DIR: emptyFolder, DATA_ASN_SOURCE: "none" },
  });
});
afterAll(async () => {
  rmSync(emptyFolder, { recursive: true });
  await fake.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "update-data-"));
  fake.files.set("city", { content: CITY, changed: new Date(CITY_DAY) });
  fake.files.set("asn", { content: ASN, changed: new Date(ASN_DAY) });
  fake.misbehavior = "none";
});
afterEach(() => {
  endPrograms();
  rmSync(folder, { recursive: true });
});

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runHere(["update-data", ...args], { env: { DATA_DIR: folder, ...env } });

/** Runs the command in a process, which has the environment alone. */
async function runProcess(env: Record<string, string>) {
  const program = runProgram([MAIN, "update-data"], { DATA_DIR: folder, ...env });
  const status = await program.exit;
  return { status, out: program.out(), err: program.err() };
}

const urls = () => ({
  DATA_CITY_SOURCE: fake.ownUrl("city.mmdb.gz"),
  DATA_ASN_SOURCE: fake.ownUrl("asn.mmdb"),
});
const host = () => new URL(fake.ownUrl("")).host;
const file = (name: string) => readFileSync(join(folder, name));

/** Puts databases into the folder that are newer than the installed ones, which take longer to load. */
function useSmallDatabases(): void {
  writeFileSync(join(folder, "city.mmdb"), CITY);
  writeFileSync(join(folder, "asn.mmdb"), ASN);
}

describe("update-data", () => {
  test("replaces both files, and says so when there are no newer ones", async () => {
    const replaced = (day: string) => `replaced by the file of ${host()}, built ${day}`;
    const first = `city: ${replaced(CITY_DAY)}\nasn: ${replaced(ASN_DAY)}\n`;
    expect(await run([], urls())).toEqual({ status: 0, out: first, err: "" });
    expect([file("city.mmdb"), file("asn.mmdb")]).toEqual([CITY, ASN]);
    const second = `city: ${host()} has no newer file\nasn: ${host()} has no newer file\n`;
    expect(await run([], urls())).toEqual({ status: 0, out: second, err: "" });
  });

  test("prefers flags to variables, and leaves a database without a source alone", async () => {
    const other = join(folder, "other");
    const flags = ["--city-source", "none", "--asn-source", fake.ownUrl("asn.mmdb"), "--data-dir", other];
    const { status, out } = await run([...flags, "--timeout", "30s"], { DATA_ASN_SOURCE: "none" });
    expect([status, out]).toEqual([0, `asn: replaced by the file of ${host()}, built ${ASN_DAY}\n`]);
    expect(file("other/asn.mmdb")).toEqual(ASN);
  });

  test("updates the other database if one fails", async () => {
    const secret = fake.ownUrl("missing?key=hunter2").replace("//", "//jane:hunter3@");
    expect(await run([], { ...urls(), DATA_CITY_SOURCE: secret })).toEqual({
      status: 69,
      out: `asn: replaced by the file of ${host()}, built ${ASN_DAY}\n`,
      err: `utility-tools update-data: city: ${host()} does not have the file (HTTP status 404)\n`,
    });
  });

  test("says that the service uses other files", async () => {
    const { status, err } = await run([], { ...urls(), GEOIP_ASN_FILES: "/a.mmdb" });
    const problem = "asn: GEOIP_ASN_FILES is set, so that the service does not use this file";
    expect([status, err]).toEqual([0, `utility-tools update-data: ${problem}\n`]);
  });

  const IS_FILE =
    /update-data\.test\.ts cannot be written \(a file of this name exists\); DATA_DIR names another folder/;
  const NO_FOLDER = /^utility-tools update-data: DATA_DIR: \/typo does not exist\n$/;
  const NO_AGE = /--max-age must be a duration, such as 60d, and needs --check/;
  const NO_PERIOD = /--every must be a duration from 1h to 20d, such as 1d/;
  const NO_SOURCE = /--city-source must be dbip, .* or an http or https URL, or none/;
  test.each<[string, string[], Record<string, string>, number, RegExp]>([
    ["an unknown source in a flag", ["--city-source", "x"], {}, 2, NO_SOURCE],
    ["one in a variable", [], { DATA_ASN_SOURCE: "x" }, 78, /DATA_ASN_SOURCE must be dbip, origin-asn, /],
    ["an unknown source with --check", ["--check", "--asn-source", "x"], {}, 2, /--asn-source must be /],
    [
      "one in a variable with --check",
      ["--check"],
      { DATA_CITY_SOURCE: "x" },
      78,
      /DATA_CITY_SOURCE must be /,
    ],
    ["missing credentials", ["--asn-source", "ipinfo"], {}, 78, /the source ipinfo needs IPINFO_TOKEN/],
    ["an invalid timeout", ["--timeout", "soon"], {}, 2, /--timeout must be a duration, such as 30s or 10m/],
    ["an invalid setting", [], { PORT: "x" }, 78, /PORT must be a number/],
    ["an operand", ["city"], {}, 2, /too many arguments/],
    ["a folder that cannot be created", [], { DATA_DIR: import.meta.filename }, 74, IS_FILE],
    ["a folder in one that does not exist", [], { DATA_DIR: "/typo/updates" }, 78, NO_FOLDER],
    ["the age of data in such a folder", ["--check"], { DATA_DIR: "/typo" }, 78, NO_FOLDER],
    ["an age without --check", ["--max-age", "60d"], {}, 2, NO_AGE],
    ["an age that is no duration", ["--check", "--max-age", "60"], {}, 2, NO_AGE],
    ["a period that is too short", ["--every", "30m"], {}, 2, NO_PERIOD],
    ["a period that is too long", ["--every", "30d"], {}, 2, NO_PERIOD],
    ["a period with --check", ["--every", "1d", "--check"], {}, 2, NO_PERIOD],
  ])("has an exit status for %s", async (_, args, env, status, message) => {
    const result = await run(args, { ...urls(), DATA_ASN_SOURCE: "none", ...env });
    expect(result).toEqual({ status, out: "", err: expect.stringMatching(message) });
  });

  test("shows the age of the data in use", async () => {
    await run([], urls());
    const { status, out, err } = await run(["--check"], urls());
    const age = (date: string) => Math.floor((Date.now() - Date.parse(date)) / 86_400_000);
    expect([status, err]).toEqual([0, ""]);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "Source\tBuilt\tDays old\tPublisher\tFile",
      `Test\t${CITY_DAY}\t${age(CITY_DAY)}\t\t${join(folder, "city.mmdb")}`,
      `Test\t${ASN_DAY}\t${age(ASN_DAY)}\t\t${join(folder, "asn.mmdb")}`,
    ]);
    expect(lines.slice(3).map((line) => line.replace(/\t.*\t/, ": "))).toEqual([
      "IANA special-purpose address registries: ",
      "IANA IPv6 Global Unicast Address Assignments: ",
      `Disposable email domains: ${join(PACKAGE_FOLDER, "data", "email", "disposable-domains.txt")}`,
    ]);
  });

  test("shows the age of the data in use without the credentials of its source", async () => {
    useSmallDatabases();
    expect(await run(["--check"], { DATA_CITY_SOURCE: "geolite2" })).toMatchObject({ status: 0, err: "" });
  });

  test("says which data is old and which file is not used, and what to do", async () => {
    const old = databaseFile({ type: "Old", built: "2020-01-01" });
    writeFileSync(join(folder, "city.mmdb"), old);
    writeFileSync(join(folder, "own.mmdb"), old);
    writeFileSync(join(folder, "disposable.txt"), "old.example\n");
    utimesSync(join(folder, "disposable.txt"), 0, 0);
    const { status, err } = await run(["--check"], { GEOIP_ASN_FILES: join(folder, "own.mmdb") });
    expect(status).toBe(0);
    // The age of the installed data depends on the day of the test.
    expect(err.replaceAll(/^.*DB-IP.*\n/gm, "")).toBe(
      ["city.mmdb", "disposable.txt"]
        .map((name) => `${join(folder, name)} is older than the installed file, which is used`)
        .concat("Old is more than 60 days old: replace the file in GEOIP_ASN_FILES")
        .map((line) => `utility-tools update-data: ${line}\n`)
        .join(""),
    );
  });

  test("has exit status 3 for data that is older than --max-age", async () => {
    await run([], urls());
    const age = Math.floor((Date.now() - Date.parse(CITY_DAY)) / 86_400_000);
    const { status, err } = await run(["--check", "--max-age", `${Math.max(0, age - 1)}d`], urls());
    expect([status, err]).toEqual([3, expect.stringContaining(`Test is ${age} days old`)]);
    expect(await run(["--check", "--max-age", `${age}d`], urls())).toMatchObject({ status: 0, err: "" });
  });

  test("applies --max-age to the installed list of disposable domains only if it has a source", async () => {
    useSmallDatabases();
    const age = async (env: Record<string, string>) => {
      const { status, err } = await run(["--check", "--max-age", "0d"], env);
      return [status, err.includes("Disposable email domains is")];
    };
    expect(await age({})).toEqual([3, false]);
    expect(await age({ DATA_DISPOSABLE_SOURCE: "none" })).toEqual([3, false]);
    expect(await age({ DATA_DISPOSABLE_SOURCE: "disposable-email-domains" })).toEqual([3, true]);
  });

  test("shows the list of disposable domains in the data folder, and whether it is old", async () => {
    useSmallDatabases();
    const file = join(folder, "disposable.txt");
    writeFileSync(file, "new.example\n");
    // Newer than the installed list.
    utimesSync(file, Date.UTC(2026, 10, 10) / 1000, Date.UTC(2026, 10, 10) / 1000);
    const { out, err } = await run(["--check", "--max-age", "0d"]);
    expect(out).toContain(`Disposable email domains\t2026-11-10\t`);
    expect(out).toContain(`\t${file}\n`);
    expect(err).toContain("Disposable email domains is ");
    writeFileSync(file, "<html>");
    const damaged = await run(["--check"]);
    expect([damaged.status, damaged.out.includes(file)]).toEqual([0, false]);
    expect(damaged.err).toMatch(
      /the e-mail list \S+disposable\.txt .*; \S+disposable-domains\.txt is used\n$/,
    );
  });

  test.each([
    [0, 86_400_000],
    [69, 3_600_000],
    [75, 3_600_000],
  ] as const)("repeats after status %s in %s milliseconds", (status, pause) => {
    expect(pauseAfter(status, 86_400_000)).toBe(pause);
  });

  test("does not show the age of data that cannot be used", async () => {
    const file = join(folder, "city.mmdb");
    writeFileSync(file, "damaged");
    const err = expect.stringContaining(`GEOIP_CITY_FILES: ${file} is not a MaxMind DB file`);
    expect(await run(["--check"], { GEOIP_CITY_FILES: file })).toEqual({ status: 69, out: "", err });
  });

  test("shows the age of the installed data if that in the data folder cannot be used, as look-ups use it", async () => {
    const file = join(folder, "city.mmdb");
    writeFileSync(file, "damaged");
    const warning = `DATA_DIR: ${file} is not a MaxMind DB file, or is truncated; ${defaultGeoIpPaths().city[0]} is used`;
    const { status, out, err } = await run(["--check"]);
    expect([status, out.split("\n")[1]?.split("\t")[0]]).toEqual([0, "DB-IP IP to City Lite"]);
    expect(err).toContain(warning);
    const found = await runHere(["geoip", "8.8.8.8"], { env: { DATA_DIR: folder } });
    expect([found.status, found.err]).toEqual([0, `utility-tools geoip: ${warning}\n`]);
  });
});

describe("through a proxy", () => {
  const seen: string[] = [];
  const proxy = createServer();
  // A proxy gets a CONNECT request for each server (RFC 9110, section 9.3.6).
  proxy.on("connect", (request, socket) => {
    seen.push(`${request.method} ${request.url}`);
    const [name, port] = (request.url ?? "").split(":");
    const target = connect(Number(port), name);
    target.once("connect", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
    socket.on("error", () => target.destroy());
  });
  const listening = useListening(proxy);

  test.each([
    [{}, true],
    [{ NO_PROXY: "127.0.0.1" }, false],
  ])("with %j", async (env, isProxied) => {
    seen.length = 0;
    const proxies = { HTTP_PROXY: listening.url, ...env };
    const result = await runProcess({ ...urls(), DATA_ASN_SOURCE: "none", ...proxies });
    expect(result.status).toBe(0);
    expect(seen).toEqual(isProxied ? [`CONNECT ${host()}`] : []);
  });
});

test("has an exit status for a publisher that cannot be reached", async () => {
  const { status, out, err } = await unreachable;
  expect([status, out]).toEqual([75, ""]);
  expect(err).toMatch(/city: 127\.0\.0\.1:2 is unreachable or does not respond in time \(ECONNREFUSED\)/);
});

test("a running service uses the new files", async () => {
  const service = runProgram([MAIN], { DATA_DIR: folder, PORT: "0" });
  const [, url] = await service.says(/ready on (http:\S+)/);
  const about = async () => {
    const { sources } = (await (await fetch(`${url}/v1/about`)).json()) as { sources: { name: string }[] };
    return sources.map(({ name }) => name).filter((name) => name === "Test" || name === "origin-asn");
  };
  expect(await about()).toEqual(["origin-asn"]);
  await runProcess({ ...urls(), DATA_CITY_SOURCE: "none" });
  await service.says(/data replaced/);
  expect(await about()).toEqual(["Test"]);
});

test.skipIf(!hasTerminal)("shows the progress on a terminal", async () => {
  const { screen, status } = await type("utility-tools update-data", { DATA_DIR: folder, ...urls() });
  expect(status).toBe(0);
  expect(screen).toMatch(/city: 0\.0( of 0\.0)? MB/);
  expect(screen).toContain("\u001b[2K");
});
