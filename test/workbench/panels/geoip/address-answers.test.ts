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

test("the map has each location once, and the countries by their numbers of addresses", () => {
  const [us, unknown, reserved] = addressAnswers(RESPONSE);
  const nl = { kind: "found", values: ["NL", "", "", "", "", 52, 4, "", true, "", "", ""], error: "" };
  expect(mapOf([nl, us, us, unknown, reserved, undefined])).toEqual({
    counts: [
      ["US", 2],
      ["NL", 1],
    ],
    points: [
      { lat: 52, lon: 4 },
      { lat: 37.422, lon: -122.085 },
    ],
  });
});
