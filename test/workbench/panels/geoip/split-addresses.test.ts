import { expect, test } from "vitest";
import { splitAddresses } from "../../../../src/workbench/panels/geoip/split-addresses.js";

test.each([
  ["", []],
  [" \n", []],
  ["8.8.8.8", ["8.8.8.8"]],
  [
    "8.8.8.8, 1.1.1.1;9.9.9.9\r\n2001:4860:4860::8888\t::1\n",
    ["8.8.8.8", "1.1.1.1", "9.9.9.9", "2001:4860:4860::8888", "::1"],
  ],
])("%j", (text, addresses) => {
  expect(splitAddresses(text)).toEqual(addresses);
});
