import { CountryMatchSchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { describe, expect, test } from "vitest";
import { type Column, columnsOf, selectColumns, selectValues } from "../../../src/cli/output/columns.js";

const LOOKUP = columnsOf(LookupIpResponseSchema);
const MATCH = columnsOf(CountryMatchSchema);

describe("columns", () => {
  test("have the shortest names that are unique", () => {
    const names = (columns: readonly Column[]) => columns.map(({ name }) => name).join(" ");
    expect(names(LOOKUP.slice(0, 9))).toBe("ip country eu asn asn_name lat lon metadata.ip subnet");
    const named = MATCH.filter(({ name }) => /name$/.test(name));
    expect(names(named)).toBe("country.name localized_name state.name native_name");
  });

  test.each([
    ["country,asn", "metadata.location.country,metadata.asn"],
    ["ip", "ip"],
    ["location.eu,metadata.asn", "metadata.location.eu,metadata.asn"],
    ["coords,coords.lat", "metadata.coords.lat,metadata.coords.lon"],
  ])("are selected by %s", (names, paths) => {
    const selected = selectColumns(LOOKUP, names.split(","));
    expect(selected.ok && selected.value.map(({ path }) => path).join()).toEqual(paths);
  });

  test.each<[string, string]>([
    ["name", "--fields: 'name' can be country.name or state.name"],
    ["nam", "--fields: there is no field 'nam'; available: value, kind, code2, "],
    ["", "--fields: there is no field ''; available: "],
  ])("are not selected by '%s'", (name, description) => {
    expect(selectColumns(MATCH, [name])).toMatchObject({
      ok: false,
      failure: { description: expect.stringContaining(description) },
    });
  });
});

test("values are selected in the order of the columns", () => {
  const selected = selectColumns(LOOKUP, ["asn", "city", "country", "ip"]);
  const response = [{ ip: "a", metadata: { location: { country: "US", eu: true }, asn: 1 } }, { ip: "b" }];
  expect(selected.ok && JSON.stringify(selectValues(response, selected.value))).toBe(
    '[{"metadata":{"asn":1,"location":{"country":"US"}},"ip":"a"},{"ip":"b"}]',
  );
});
