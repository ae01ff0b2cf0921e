import { describe, expect, it } from "vitest";
import { joinSources } from "../../../src/tools/about/join-sources.js";
import type { DataSource } from "../../../src/tools/tool.js";

const source = (more: Partial<DataSource>): DataSource => ({
  name: "Places",
  publisher: "",
  url: "",
  licence: "MIT",
  attribution: "",
  version: "1",
  builtAt: new Date(0),
  ...more,
});

describe("joinSources", () => {
  it("has a source of two services once, with both", () => {
    const used = [
      { service: "a.A", sources: [source({}), source({ name: "More" })] },
      { service: "b.B", sources: [source({}), source({})] },
    ];
    expect(joinSources(used)).toEqual([
      { ...source({}), services: ["a.A", "b.B"] },
      { ...source({ name: "More" }), services: ["a.A"] },
    ]);
  });

  it.each<Partial<DataSource>>([
    { name: "x" },
    { publisher: "x" },
    { url: "x" },
    { licence: "x" },
    { attribution: "x" },
    { version: "x" },
    { builtAt: new Date(1) },
    { builtAt: undefined },
  ])("tells sources apart by %j", (more) => {
    expect(joinSources([{ service: "a.A", sources: [source({}), source(more)] }])).toHaveLength(2);
  });

  it("is empty for services that are made of nothing", () => {
    expect(joinSources([{ service: "a.A", sources: [] }])).toEqual([]);
  });
});
