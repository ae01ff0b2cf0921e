import { fromJson } from "@bufbuild/protobuf";
import { BatchLookupIpsResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { expect, test } from "vitest";
import {
  ADDRESS_COLUMNS,
  addressAnswers,
  mapOf,
} from "../../../../src/workbench/panels/geoip/address-answers.js";

const RESPONSE = {
  results: [
    {
      input: "8.8.8.8",
      answer: {
        ip: "8.8.8.8",
        metadata: {
          location: { country: "US", eu: false },
          asn: 15169,
          asn_name: "Google LLC",
          coords: { lat: 37.422, lon: -122.085 },
          subnet: "8.8.8.0/24",
          details: {
            country_name: "United States",
            region: "California",
            city: "Mountain View",
            time_zone: "America/Los_Angeles",
          },
        },
      },
    },
    {
      input: "1.2.3.4",
      answer: {
        metadata: {
          location: { country: "", eu: false },
          asn: 0,
          coords: { lat: 0, lon: 0 },
          subnet: "1.2.3.4/32",
        },
      },
    },
    { input: "10.0.0.1", error: { reason: "RESERVED_ADDRESS", message: "reserved" } },
    { input: "1.1.1.9", error: { reason: "ADDRESS_NOT_FOUND", message: "no data" } },
    { input: "x", error: { reason: "INVALID_IP_ADDRESS", message: "wrong" } },
  ],
};

test("the response is one of the schema", () => {
  expect(fromJson(BatchLookupIpsResponseSchema, RESPONSE).results).toHaveLength(5);
});

test("each result of a batch becomes an answer", () => {
  const answers = addressAnswers(RESPONSE);
  expect(answers).toEqual([
    {
      kind: "found",
      values: [
        "US",
        "United States",
        "California",
        "Mountain View",
        "",
        37.422,
        -122.085,
        "America/Los_Angeles",
        false,
        15169,
        "Google LLC",
        "8.8.8.0/24",
      ],
      error: "",
    },
    { kind: "found", values: ["", "", "", "", "", "", "", "", false, "", "", "1.2.3.4/32"], error: "" },
    { kind: "reserved", values: [], error: "reserved" },
    { kind: "unknown", values: [], error: "no data" },
    { kind: "invalid", values: [], error: "wrong" },
  ]);
  expect(answers[0]?.values).toHaveLength(ADDRESS_COLUMNS.length);
});

test("the map has each location and country with its number of rows, most frequent first", () => {
  const [us, unknown, reserved] = addressAnswers(RESPONSE);
  const nl = { kind: "found", values: ["NL", "", "", "", "", 52, 4, "", true, "", "", ""], error: "" };
  expect(mapOf([nl, us, us, unknown, reserved, undefined])).toEqual({
    countries: [
      { code: "US", amount: 2 },
      { code: "NL", amount: 1 },
    ],
    points: [
      { lat: 37.422, lon: -122.085, count: 2 },
      { lat: 52, lon: 4, count: 1 },
    ],
  });
});

test("the map of many answers has the most frequent places, one within two degrees", () => {
  const at = (lat: number, lon: number) => ({
    kind: "found",
    values: ["", "", "", "", "", lat, lon, "", false, "", "", ""],
    error: "",
  });
  const everywhere = Array.from({ length: 3_000 }, (_, index) =>
    at(2 * Math.floor(index / 60), 2 * (index % 60)),
  );
  const { points } = mapOf([...everywhere, at(-6.1, -6.2), at(-5.9, -5.8)]);
  expect(points).toHaveLength(2_000);
  expect(points[0]).toEqual({ lat: -6.1, lon: -6.2, count: 2 });
});
