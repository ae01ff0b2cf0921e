import { describe, expect, it } from "vitest";
import { checkDatabase } from "../../src/data-update/check-database.js";
import { mmdbBytes, REPLACED, replaceRecord, sharedArrays } from "../tools/geoip/test-databases.js";
import { databaseFile } from "./fake-publishers.js";

const NEW = { type: "Test", built: "2026-11-01" };
const OLD = { type: "Test", built: "2026-10-01" };
/** Records that make a file three times as long. */
const MORE = Object.fromEntries(
  Array.from({ length: 250 }, (_, index) => [`9.${index}.0.0/16`, { name: `record ${index}` }]),
);

const invalid = (description: string) => ({
  ok: false,
  failure: { reason: "INVALID_DOWNLOAD", description },
});

describe.each(["city", "asn"] as const)("the database %s", (database) => {
  it.each([
    ["without a present file", undefined],
    ["newer than the present one", databaseFile(OLD)],
    ["older, but of another type", databaseFile({ type: "Other", built: "2026-12-01" })],
    ["smaller, but of another type", databaseFile({ ...OLD, type: "Other", records: MORE })],
    ["beside a damaged one", Buffer.from("damaged")],
  ])("accepts a file %s", async (_, present) => {
    expect(await checkDatabase(database, databaseFile(NEW), present)).toEqual({
      ok: true,
      value: { builtAt: new Date("2026-11-01") },
    });
  });

  it.each([
    ["the same", NEW],
    ["older than the present one", OLD],
  ])("has no use for a file that is %s", async (_, content) => {
    expect(await checkDatabase(database, databaseFile(content), databaseFile(NEW))).toEqual({
      ok: true,
      value: undefined,
    });
  });

  it("rejects a file that is much smaller than the present one", async () => {
    const [bytes, present] = [databaseFile(NEW), databaseFile({ ...OLD, records: MORE })];
    expect(await checkDatabase(database, bytes, present)).toEqual(
      invalid(
        `has a file that has ${bytes.length} bytes, much less than the present file with ${present.length}; remove that to accept it`,
      ),
    );
  });

  it.each<[string, Buffer, string]>([
    ["an HTML page", Buffer.from("\n<!DOCTYPE html>"), "is an HTML page, not an MMDB file"],
    ["an empty file", Buffer.alloc(0), "is not a MaxMind DB file, or is truncated"],
    ["a truncated file", databaseFile(NEW).subarray(0, -500), "is not a MaxMind DB file, or is truncated"],
    [
      "a file of another kind",
      mmdbBytes({ "8.0.0.0/8": { name: "x" } }),
      `has no ${database === "city" ? "countries or coordinates" : "autonomous systems"}; its type is test`,
    ],
    [
      "a file with a hostile record",
      replaceRecord(mmdbBytes({ "8.0.0.0/8": REPLACED }), (offset) => sharedArrays(offset, 2, 24)),
      "is damaged: a lookup fails (a value has more than 4096 values or 32 levels)",
    ],
    [
      "a file without IPv6",
      mmdbBytes({ "8.0.0.0/8": { country_code: "US", asn: 15169 } }),
      "has the expected result for only 1 of 11 known addresses",
    ],
    [
      "a file with other data",
      databaseFile({ ...NEW, without: 4 }),
      "has the expected result for only 7 of 11 known addresses",
    ],
  ])("rejects %s", async (_, bytes, problem) => {
    expect(await checkDatabase(database, bytes, databaseFile(OLD))).toEqual(
      invalid(`has a file that ${problem}`),
    );
  });
});

describe("a file beside the installed one", () => {
  const networks = (country: (index: number) => string, count = 200) =>
    Object.fromEntries(
      Array.from(
        { length: count },
        (_, index) => [`${index + 20}.0.0.0/9`, { country_code: country(index) }] as const,
      ).filter(([block]) => !/^(?:127|128|129|130|133|193)\./.test(block)),
    );
  const file = (content: ReturnType<typeof networks>) => databaseFile({ ...NEW, records: content });
  const mixed = (index: number) => ["US", "CH", "JP", "BR"][index % 4] ?? "";
  const installed = file(networks(mixed));

  it.each([
    ["the same", networks(mixed), undefined],
    ["a tenth different", networks((index) => (index % 10 === 0 ? "NZ" : mixed(index))), undefined],
    [
      "a third of the records",
      networks(mixed, 60),
      /^has a file that has only \d+ % of records of the installed file/,
    ],
    ["one country", networks(() => "US"), /only \d+ % of different values/],
    ["other countries", networks((index) => mixed(index + 1)), /only \d+ % of the same values/],
  ])("with %s", async (_, content, problem) => {
    const checked = await checkDatabase("city", file(content), undefined, installed);
    expect(checked.ok ? undefined : checked.failure.description).toEqual(
      problem === undefined ? undefined : expect.stringMatching(problem),
    );
  });
});
