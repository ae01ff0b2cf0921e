import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ExportColumn } from "../../../../src/cli/own-commands/export/table.js";
import { writeParquet } from "../../../../src/cli/own-commands/export/write-parquet.js";
import { parseCsv } from "../../../../src/text/csv.js";
import { MAIN } from "../../../support/programs.js";
import { mmdbBytes } from "../../../tools/geoip/test-databases.js";
import { runHere, runOnScreen } from "../../run-tools.js";

const PARIS = {
  country_code: "FR",
  latitude: 48.85,
  longitude: 2.35,
  state1: "Île-de-France",
  city: 'Paris "7"',
};

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  const [city, asn] = [join(folder, "city.mmdb"), join(folder, "asn.mmdb")];
  const name = { autonomous_system_number: 7, autonomous_system_organization: "Seven, Inc." };
  writeFileSync(city, mmdbBytes({ "8.8.8.0/24": PARIS, "2600::/16": PARIS }));
  writeFileSync(asn, mmdbBytes({ "8.8.8.128/25": name, "2600::/16": name }));
  env = { GEOIP_CITY_FILES: city, GEOIP_ASN_FILES: asn };
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(endPrograms);

const exportHere = (...args: readonly string[]) => runHere(["export", ...args], { env });

async function readParquet(bytes: Buffer) {
  const file = new Uint8Array(bytes).buffer;
  const compressors = { GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)) };
  return {
    metadata: parquetMetadata(file),
    rows: await parquetReadObjects({ file, compressors, utf8: false }),
  };
}

const HEADER =
  "first,last,first_ipv4,last_ipv4,prefix_length,networks,country,eu,lat,lon,region,region_code,city,time_zone,asn,asn_name";
const PLACE = 'FR,true,48.85,2.35,Île-de-France,FR-IDF,"Paris ""7""",Europe/Paris';
const IPV6_END = "ffff:ffff:ffff:ffff:ffff:ffff:ffff";
/** All lines; in those of IPv6 addresses without data, `…` is in the place of long lists of networks. */
const CSV = `${HEADER}
::,::fffe:ffff:ffff,,,,…,,,,,,,,,,
0.0.0.0,8.8.7.255,0,134744063,,0.0.0.0/5 8.0.0.0/13 8.8.0.0/21,,,,,,,,,,
8.8.8.0,8.8.8.127,134744064,134744191,25,8.8.8.0/25,${PLACE},,
8.8.8.128,8.8.8.255,134744192,134744319,25,8.8.8.128/25,${PLACE},7,"Seven, Inc."
8.8.9.0,255.255.255.255,134744320,4294967295,,…,,,,,,,,,,
::1:0:0:0,25ff:${IPV6_END},,,,…,,,,,,,,,,
2600::,2600:${IPV6_END},,,16,2600::/16,${PLACE},7,"Seven, Inc."
2601::,ffff:${IPV6_END},,,,…,,,,,,,,,,
`;
const shortened = (csv: string) => csv.replace(/,[^,\n]+(?: [^,\n]+){3,}(?=,{10}\n)/g, ",…");

test("CSV has all addresses, and standard error the licenses", async () => {
  const { status, out, err } = await exportHere("geoip", "--format", "csv");
  expect({ status, out: shortened(out) }).toEqual({ status: 0, out: CSV });
  expect(err).toMatch(/^test: 2026-\d\d-\d\d, NOASSERTION\ntest: /);
  expect(err).toContain(
    "\nCountries States Cities Database: dr5hn, 1.0.9, ODbL-1.0, Contains information from",
  );
});

test("Parquet has the same, addresses of 16 bytes, and the licenses in its metadata", async () => {
  const [{ status, err, bytes }, csv] = [
    await exportHere("geoip", "--format", "parquet"),
    await exportHere("geoip", "--format", "csv"),
  ];
  const { metadata, rows } = await readParquet(bytes);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  expect(metadata.key_value_metadata).toEqual([{ key: "license", value: csv.err }]);
  const hex = ({ first, last, ...rest }: Record<string, unknown>) => ({
    first: Buffer.from(first as Uint8Array).toString("hex"),
    last: Buffer.from(last as Uint8Array).toString("hex"),
    ...rest,
  });
  const nothing = {
    ...{ country: null, eu: null, lat: null, lon: null, region: null, region_code: null, city: null },
    ...{ time_zone: null, asn: null, asn_name: null },
  };
  const place = {
    ...{ country: "FR", eu: true, lat: 48.85, lon: 2.35, region: "Île-de-France", region_code: "FR-IDF" },
    ...{ city: 'Paris "7"', time_zone: "Europe/Paris" },
  };
  expect(rows.length).toBe(8);
  expect(rows.slice(1, 4).map(hex)).toEqual([
    {
      first: "00000000000000000000ffff00000000",
      last: "00000000000000000000ffff080807ff",
      first_ipv4: 0,
      last_ipv4: 134744063,
      prefix_length: null,
      networks: "0.0.0.0/5 8.0.0.0/13 8.8.0.0/21",
      ...nothing,
    },
    {
      first: "00000000000000000000ffff08080800",
      last: "00000000000000000000ffff0808087f",
      first_ipv4: 134744064,
      last_ipv4: 134744191,
      prefix_length: 25,
      networks: "8.8.8.0/25",
      ...place,
      ...{ asn: null, asn_name: null },
    },
    {
      first: "00000000000000000000ffff08080880",
      last: "00000000000000000000ffff080808ff",
      first_ipv4: 134744192,
      last_ipv4: 134744319,
      prefix_length: 25,
      networks: "8.8.8.128/25",
      ...place,
      ...{ asn: 7, asn_name: "Seven, Inc." },
    },
  ]);
  expect(rows.slice(6, 7).map(hex)).toEqual([
    {
      first: "26000000000000000000000000000000",
      last: "2600ffffffffffffffffffffffffffff",
      first_ipv4: null,
      last_ipv4: null,
      prefix_length: 16,
      networks: "2600::/16",
      ...place,
      ...{ asn: 7, asn_name: "Seven, Inc." },
    },
  ]);
});

test.each([0, 1, 9_999, 10_000, 10_001, 20_000])(
  "%i rows are in groups of which none is empty",
  async (count) => {
    const pieces: Uint8Array[] = [];
    const columns: readonly ExportColumn<number>[] = [
      { name: "number", type: "double", of: (row) => row },
      { name: "text", type: "text", of: (row) => (row % 2 === 0 ? "" : `${row}`) },
    ];
    await writeParquet(
      { columns, rows: Array.from({ length: count }, (_, row) => row), sources: [] },
      { write: async (piece) => void pieces.push(Buffer.from(piece)), end: async () => {} },
    );
    const { metadata, rows } = await readParquet(Buffer.concat(pieces));
    expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual(
      [10_000, 10_000].slice(0, Math.floor(count / 10_000)).concat(count % 10_000 || []),
    );
    expect(rows).toEqual(
      Array.from({ length: count }, (_, row) => ({ number: row, text: row % 2 === 0 ? null : `${row}` })),
    );
  },
);

test.each([
  ["countries", 250, "FR,FRA,250,France,the French Republic,"],
  ["subdivisions", 5_000, "FR,FR-IDF,Île-de-France,,"],
  ["email-lists", 56_000, "free_provider,gmail.com"],
])("%s has what is empty in CSV as null in Parquet, and no row without a key", async (name, least, line) => {
  const { status, out, err } = await exportHere(name, "--format", "csv");
  expect(status).toBe(0);
  expect(out.split("\n").some((each) => each.startsWith(line))).toBe(true);
  expect(out.split("\n").length).toBeGreaterThan(least);
  expect(err).toContain("Apache-2.0");
  const { rows } = await readParquet((await exportHere(name, "--format", "parquet")).bytes);
  const [names = [], ...lines] = parseCsv(out, ",");
  expect(rows.map((row) => names.map((each) => String(row[each] ?? "")))).toEqual(lines);
  expect(rows.flatMap((row) => Object.values(row)).includes("")).toBe(false);
  expect(rows.filter((row) => row[name === "countries" ? "code2" : "name"] === null)).toEqual([]);
});

test.each([
  [["export", "geoip"], "needs --format parquet or --format csv"],
  [["export", "geoip", "--format", "json"], "needs --format parquet or --format csv"],
])("%j has a clean error", async (args, problem) => {
  const { status, err } = await runHere(args);
  expect({ status, err: err.split("\n")[0] }).toEqual({
    status: 2,
    err: `utility-tools export geoip: ${problem}`,
  });
});

test("Parquet is not written to a terminal", async () => {
  const { status, screen } = await runOnScreen("export", "countries", "--format", "parquet");
  expect(status).toBe(2);
  expect(screen).toContain("a terminal cannot show Parquet");
});

test("a file is replaced when all is written, also behind a link, and nothing is left beside it", async () => {
  const own = mkdtempSync(join(folder, "out-"));
  writeFileSync(join(own, "file"), "before");
  symlinkSync("file", join(own, "link"));
  const { status, out } = await exportHere("geoip", "--format", "csv", "--output", join(own, "link"));
  expect({ status, out }).toEqual({ status: 0, out: "" });
  expect(shortened(readFileSync(join(own, "file"), "utf8"))).toBe(CSV);
  expect(readdirSync(own)).toEqual(["file", "link"]);
});

test.each([
  ["a folder", () => folder, /^utility-tools export geoip: .* cannot be written \(it is a folder\)\n$/],
  ["no folder", () => join(folder, "none", "x"), /none\/x cannot be written \(no such file or folder\)\n$/],
  ["a full disk", () => "/dev/full", /\/dev\/full cannot be written \(no space left\)\n$/],
])("an output that is %s", async (_, path, expected) => {
  const { status, err } = await exportHere("geoip", "--format", "parquet", "--output", path());
  expect(status).toBe(74);
  expect(err).toMatch(expected);
});

test("unusable data leaves the file as it is", async () => {
  const file = join(folder, "kept");
  writeFileSync(file, "before");
  const { status, err } = await runHere(["export", "geoip", "--format", "csv", "--output", file], {
    env: { GEOIP_CITY_FILES: join(folder, "missing.mmdb") },
  });
  expect(status).toBe(69);
  expect(err).toMatch(/^utility-tools export geoip: GEOIP_CITY_FILES: .*missing.mmdb /);
  expect(readFileSync(file, "utf8")).toBe("before");
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s removes the incomplete file", async (signal, status) => {
  const own = mkdtempSync(join(folder, "signal-"));
  const program = runProgram([MAIN, "export", "geoip", "--format", "csv", "--output", join(own, "x")]);
  await expect.poll(() => readdirSync(own).length, { timeout: 60_000 }).toBe(1);
  program.process.kill(signal);
  expect(await program.exit).toBe(status);
  expect(existsSync(join(own, "x"))).toBe(false);
  expect(readdirSync(own)).toEqual([]);
});

test("a reader that ends early is no error", async () => {
  const program = runProgram([MAIN, "export", "geoip", "--format", "csv"]);
  await program.says(/^first,/);
  program.process.stdout?.destroy();
  expect(await program.exit).toBe(0);
  expect(program.err()).toBe("");
});
