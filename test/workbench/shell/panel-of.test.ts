import { expect, test } from "vitest";
import { panelOf } from "../../../src/workbench/shell/panel-of.js";

const PANELS = [{ id: "overview" }, { id: "otp" }];

test.each([
  ["#/otp", "otp"],
  ["#/otp/", "otp"],
  ["#/otp?x=1", "otp"],
  ["#/overview", "overview"],
  ["#otp", undefined],
  ["#main", undefined],
  ["#/", undefined],
  ["#/toString", undefined],
  ["", undefined],
])("%j is %s", (hash, id) => {
  expect(panelOf(hash, PANELS)?.id).toBe(id);
});
