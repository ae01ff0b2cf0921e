import { create, createRegistry } from "@bufbuild/protobuf";
import { CountryMatchSchema, CountrySchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { GeoIpService, LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { describe, expect, test } from "vitest";
import { createCellReader } from "../../../src/cli/output/cells.js";
import { cellOf, columnsOf } from "../../../src/cli/output/columns.js";
import { responseFormats } from "../../../src/cli/output/formats.js";
import { shownResponse } from "../../../src/cli/output/unknown.js";

const LOOKUP = columnsOf(LookupIpResponseSchema);
const MATCH = columnsOf(CountryMatchSchema);

describe("cells", () => {
  const RESPONSE = {
    ip: "8.8.8.8",
    metadata: { location: { country: "US", eu: false }, asn: 15169, coords: { lat: 37.4, lon: -122 } },
  };
  const basic = LOOKUP.filter(({ isOptional }) => !isOptional);

  test("of a message are those of its JSON", () => {
    const readCells = createCellReader(basic);
    const metadata = { location: { country: "US" }, asn: 15169, coords: { lat: 0.5 } };
    const init = { ip: "8.8.8.8", metadata };
    const cells = ["8.8.8.8", "US", "false", "15169", "", "0.5", "0", "", ""];
    expect(readCells?.(init)).toEqual(cells);
    expect(readCells?.(create(LookupIpResponseSchema, init))).toEqual(cells);
    expect(basic.slice(0, 4).map((column) => cellOf(RESPONSE, column))).toEqual(cells.slice(0, 4));
  });

  test("of an absent message are empty", () => {
    const city = LOOKUP.filter(({ name }) => name === "city");
    expect(createCellReader(city)?.({ metadata: {} })).toEqual([""]);
    expect(city.map((column) => cellOf(RESPONSE, column))).toEqual([""]);
  });

  test("that need JSON are not read directly", () => {
    expect(createCellReader(columnsOf(CountrySchema))).toBeUndefined();
    expect(createCellReader(MATCH.filter(({ name }) => name === "kind"))).toBeUndefined();
  });

  test("of unknown numbers are empty in every format but JSON", () => {
    const metadata = { asn: 0, asnName: "", coords: { lat: 0, lon: 0 }, details: { accuracyRadiusKm: 0 } };
    const message = create(LookupIpResponseSchema, { ip: "8.8.8.8", metadata });
    const numbers = ["asn", "lat", "lon", "accuracy_radius_km"];
    const columns = LOOKUP.filter(({ name }) => numbers.includes(name));
    expect(columns).toHaveLength(numbers.length);
    const formats = responseFormats(GeoIpService.method.lookupIp, createRegistry());
    const shown = columns.map((column) => cellOf(shownResponse(formats, message), column));
    for (const cells of [createCellReader(columns)?.(message), shown]) {
      expect(cells).toEqual(["", "", "", ""]);
    }
    expect(JSON.parse(formats.json(message))).toMatchObject({
      metadata: { asn: 0, coords: { lat: 0, lon: 0 } },
    });
    const equator = { coords: { lat: 0, lon: 10 } };
    expect(createCellReader(columns)?.({ metadata: equator })).toEqual(["", "0", "10", ""]);
  });
});
