import { SERVICES } from "@utility-tools/protos/services.js";
import { expect, test } from "vitest";
import { pageModule } from "./page-module.js";

const { PANELS, panelOf } = await pageModule<{
  readonly PANELS: readonly { readonly id: string; readonly about: string; readonly service?: string }[];
  readonly panelOf: (hash: string) => { readonly id: string } | undefined;
}>("panels.ts");

/** Services without a panel, and where the page shows them. */
const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = { about: "the footer" };

test.each(Object.keys(SERVICES))("the service %s has a panel", (name) => {
  const isShown = name in SHOWN_ELSEWHERE || PANELS.some(({ service }) => service === name);
  expect(
    isShown,
    `The service "${name}" has no panel: write a component src/workbench/panels/${name}/${name}-panel.tsx, ` +
      `and add an entry with service: "${name}" to PANELS in src/workbench/panels.ts`,
  ).toBe(true);
});

test.each(PANELS)("what $id is for fits in a line of a tile", ({ about }) => {
  expect(about.length).toBeLessThanOrEqual(28);
});

test.each([
  ["#/otp", "otp"],
  ["#/otp/", "otp"],
  ["#/otp?x=1", "otp"],
  ["#/home", "home"],
  ["#otp", undefined],
  ["#main", undefined],
  ["#/", undefined],
  ["#/toString", undefined],
  ["", undefined],
])("panelOf %j is the panel %s", (hash, id) => {
  expect(panelOf(hash)?.id).toBe(id);
});
