import { describe, expect, test } from "vitest";
import { chooseColumn } from "../../../src/cli/input/csv-column.js";

describe("the column with the inputs", () => {
  test.each<[string, string[], string, string | undefined, number, boolean]>([
    ["has the name of the field", ["id", "IP_Address", "ip"], "ip_address", undefined, 1, true],
    ["has a word of it", ["id", "Client IP"], "ip_address", undefined, 1, true],
    ["has a word in camel case", ["clientIp", "id"], "ip_address", undefined, 0, true],
    ["is the only one, without a header", ["8.8.8.8"], "ip_address", undefined, 0, false],
    ["is the only one, and an address is not a name", ["email@example.com"], "email", undefined, 0, false],
    ["is the only one, with a header", ["email"], "email", undefined, 0, true],
    ["has a name of nginx", ["id", "remote_addr"], "ip_address", undefined, 1, true],
    ["has a name of the W3C", ["s-ip", "c-ip"], "ip_address", undefined, 1, true],
    ["has a name of CloudTrail", ["eventName", "sourceIPAddress"], "ip_address", undefined, 1, true],
    ["has a name in German", ["Nr", "Kunden-IP"], "ip_address", undefined, 1, true],
    ["has a name of spreadsheets", ["id", "E-Mail"], "email", undefined, 1, true],
    ["has a name of Outlook", ["E-mail 2 Address", "E-mail Address"], "email", undefined, 1, true],
    ["has a name in French", ["Nom", "Courriel"], "email", undefined, 1, true],
    ["has the wanted name without punctuation", ["a", "Client-IP"], "ip_address", "client_ip", 1, true],
    ["has the wanted name", ["a", " B ", "ip"], "ip_address", "b", 1, true],
  ])("%s", (_name, first, field, wanted, index, hasHeader) => {
    expect(chooseColumn(first, field, wanted)).toEqual({ ok: true, value: { index, hasHeader } });
  });

  // Spaces separate the values of the records.
  test.each<[string, string[], string[], number, boolean]>([
    ["has most of the inputs", ["who", "where"], ["a 8.8.8.8", "b ", "c 1.1.1.1:80"], 1, true],
    ["has no header", ["a", "8.8.8.8"], ["b 1.1.1.1"], 1, false],
    ["is the fuller one of two names", ["from ip", "to ip"], ["8.8.8.8 ", "1.1.1.1 9.9.9.9"], 0, true],
  ])("%s", (_name, first, records, index, hasHeader) => {
    const rows = records.map((record) => record.split(" "));
    const value = { index, hasHeader };
    expect(chooseColumn(first, "ip_address", undefined, rows)).toEqual({ ok: true, value });
  });

  const RULE = "name one with --column; it has:";
  test.each<[string, string[], string | undefined, string]>([
    ["without a name", ["a", "b"], undefined, `no column has the name 'ip_address': ${RULE} a, b`],
    [
      "with two names",
      ["from ip", "to ip"],
      undefined,
      `several columns may have the inputs: ${RULE} from ip, to ip`,
    ],
    ["that is not there", ["a"], "b", "--column: the header of the input has no column 'b'; it has: a"],
  ])("%s is an error", (_name, first, wanted, description) => {
    const failure = { reason: "USAGE", description };
    expect(chooseColumn(first, "ip_address", wanted)).toEqual({ ok: false, failure });
  });
});
