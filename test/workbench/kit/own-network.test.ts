import { expect, test } from "vitest";
import { ownNetwork } from "../../../src/workbench/kit/own-network.js";

test.each([
  ["localhost", "computer"],
  ["tools.localhost", "computer"],
  ["127.0.0.1", "computer"],
  ["127.8.8.8", "computer"],
  ["[::1]", "computer"],
  ["192.168.1.20", "network"],
  ["10.0.0.1", "network"],
  ["172.20.0.1", "network"],
  ["100.64.0.1", "network"],
  ["169.254.1.1", "network"],
  ["[fd00::1]", "network"],
  ["[fe80::1]", "network"],
  ["8.8.8.8", undefined],
  ["[2a00:1450::1]", undefined],
  ["tools.example.com", undefined],
  ["127.0.0.1.example.com", undefined],
  ["nas", undefined],
])("the host %s is on %s", (hostname, network) => {
  expect(ownNetwork(hostname)).toBe(network);
});
