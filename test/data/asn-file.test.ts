import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Reader } from "maxmind";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AsnFilePaths, buildAsnFile } from "../../data/asn-file.js";

let folder: string;
let paths: AsnFilePaths;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "asn-file-"));
  paths = {
    packageJson: join(folder, "package.json"),
    ipv4Csv: join(folder, "ipv4.csv"),
    ipv6Csv: join(folder, "ipv6.csv"),
    target: join(folder, "asn.mmdb"),
  };
  await writeFile(paths.packageJson, '{"name": "asn", "version": "2.3.2026061719"}');
  await writeFile(paths.ipv4Csv, '16777216,16777471,13335,"Cloudflare, Inc."\n');
  await writeFile(
    paths.ipv6Csv,
    "42541956123769884636017138956568135816,42541956123769884636017138956568135816,15169,Google LLC\n",
  );
});

afterEach(() => rm(folder, { recursive: true }));

describe("buildAsnFile", () => {
  it("writes one file for both families", async () => {
    expect(await buildAsnFile(paths)).toEqual({ written: true });
    const reader = new Reader<never>(await readFile(paths.target));
    expect(reader.get("1.0.0.1")).toEqual({
      autonomous_system_number: 13335,
      autonomous_system_organization: "Cloudflare, Inc.",
    });
    expect(reader.get("2001:4860:4860::8888")).toEqual({
      autonomous_system_number: 15169,
      autonomous_system_organization: "Google LLC",
    });
    expect(reader.get("1.0.1.0")).toBeNull();
    expect(reader.metadata.buildEpoch).toEqual(new Date("2026-06-17T19:00:00Z"));
    expect(reader.metadata.databaseType).toBe("ASN");
    expect(await readdir(folder)).toEqual(["asn.mmdb", "ipv4.csv", "ipv6.csv", "package.json"]);
  });

  it("does not replace a current file", async () => {
    await buildAsnFile(paths);
    const before = await stat(paths.target);
    expect(await buildAsnFile(paths)).toEqual({ written: false });
    expect((await stat(paths.target)).ino).toBe(before.ino);
  });

  it("writes the same bytes again", async () => {
    await buildAsnFile(paths);
    const before = await readFile(paths.target);
    await rm(paths.target);
    await buildAsnFile(paths);
    expect((await readFile(paths.target)).equals(before)).toBe(true);
  });

  it("replaces the file of another version", async () => {
    await buildAsnFile(paths);
    await writeFile(paths.packageJson, '{"name": "asn", "version": "2.3.2026061800"}');
    expect(await buildAsnFile(paths)).toEqual({ written: true });
  });

  it("replaces a truncated file", async () => {
    await buildAsnFile(paths);
    await truncate(paths.target, 100);
    expect(await buildAsnFile(paths)).toEqual({ written: true });
    expect(await buildAsnFile(paths)).toEqual({ written: false });
  });

  it.each([
    ["a CSV file is missing", () => rm(paths.ipv6Csv), /ENOENT.*ipv6\.csv/],
    ["a row cannot be read", () => writeFile(paths.ipv4Csv, "1.0.0.0,1.0.0.255,1,x\n"), /ipv4\.csv, line 1:/],
    [
      "the version is no date",
      () => writeFile(paths.packageJson, '{"name": "asn", "version": "1.0.0"}'),
      /version 1\.0\.0 of the ASN data does not end in a date/,
    ],
    [
      "the version is no day of any calendar",
      () => writeFile(paths.packageJson, '{"name": "asn", "version": "1.0.2026139900"}'),
      /does not end in a date/,
    ],
    ["the package has no name", () => writeFile(paths.packageJson, "{}"), /has no name or no version/],
  ])("writes nothing if %s", async (_, spoil, message) => {
    await spoil();
    await expect(buildAsnFile(paths)).rejects.toThrow(message);
    expect(await readdir(folder)).not.toContain("asn.mmdb");
  });
});
