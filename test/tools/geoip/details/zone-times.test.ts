import { describe, expect, it } from "vitest";
import { zonePeriod, zoneTimes } from "../../../../src/tools/geoip/details/zone-times.js";
import { countries } from "../test-countries.js";

const JANUARY = Date.UTC(2026, 0, 15);
const JULY = Date.UTC(2026, 6, 15);

describe("zoneTimes", () => {
  it.each([
    ["Europe/Berlin", JANUARY, "+01:00", false],
    ["Europe/Berlin", JULY, "+02:00", true],
    ["Europe/Dublin", JULY, "+01:00", true],
    ["Europe/London", JANUARY, "+00:00", false],
    ["Australia/Lord_Howe", JANUARY, "+11:00", true],
    ["Australia/Lord_Howe", JULY, "+10:30", false],
    ["America/St_Johns", JULY, "-02:30", true],
    ["Asia/Kathmandu", JULY, "+05:45", false],
    ["Asia/Tokyo", JULY, "+09:00", false],
    ["Africa/Casablanca", Date.UTC(2026, 1, 25), "+00:00", false],
  ])("%s, case %#", (zone, time, utcOffset, daylightSaving) => {
    expect(zoneTimes()(zone, time)).toEqual({ utcOffset, daylightSaving });
  });

  it("knows the time zones of all countries, and no others", () => {
    const find = zoneTimes();
    for (const zone of countries.flatMap(({ timeZones }) => timeZones)) {
      expect(find(zone, JULY)?.utcOffset).toMatch(/^[+-]\d\d:\d\d$/);
    }
    expect(find("Nowhere/City", JULY)).toBeUndefined();
  });

  it("changes with the period", () => {
    const find = zoneTimes();
    const change = Date.UTC(2026, 9, 25, 1);
    expect([change - 1, change].map((time) => find("Europe/Berlin", time)?.utcOffset)).toEqual([
      "+02:00",
      "+01:00",
    ]);
    expect(zonePeriod(change)).toBe(zonePeriod(change - 1) + 1);
  });

  it("keeps the result for the period", () => {
    const find = zoneTimes();
    expect(find("Europe/Berlin", JULY + 1)).toBe(find("Europe/Berlin", JULY));
  });
});
