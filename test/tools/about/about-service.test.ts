import { toJson } from "@bufbuild/protobuf";
import { AboutService, GetAboutResponseSchema } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { describe, expect, it } from "vitest";
import { aboutService, joinSources } from "../../../src/tools/about/about-service.js";
import { emailService } from "../../../src/tools/email/email-service.js";
import type { DataSource } from "../../../src/tools/tool.js";
import { callUnary } from "../call.js";

it("returns the version and the current sources of the tools", async () => {
  let builtAt: Date | undefined;
  const fields = {
    publisher: "P",
    url: "https://p.example",
    license: "MIT",
    attribution: "by P",
    version: "7",
  };
  const tool = { ...emailService(), sources: () => [{ name: "N", ...fields, builtAt }] };
  const service = aboutService({
    version: "1.2.3",
    tools: () => [tool, { ...emailService() }],
    now: () => Date.parse("2026-07-05T13:42:01Z"),
  });
  const about = async () =>
    toJson(GetAboutResponseSchema, await callUnary(service, AboutService.method.getAbout, {}));

  const services = ["utilitytools.v1.EmailService"];
  expect(await about()).toEqual({ version: "1.2.3", sources: [{ name: "N", ...fields, services }] });
  builtAt = new Date("2026-06-05T13:42:02Z");
  expect(await about()).toEqual({
    version: "1.2.3",
    sources: [{ name: "N", ...fields, build_time: "2026-06-05T13:42:02Z", age_days: 29, services }],
  });
});

const source = (more: Partial<DataSource>): DataSource => ({
  name: "Places",
  publisher: "",
  url: "",
  license: "MIT",
  attribution: "",
  version: "1",
  builtAt: new Date(0),
  ...more,
});

const uses = (typeName: string, ...sources: DataSource[]) => ({
  service: { typeName },
  sources: () => sources,
});

describe("joinSources", () => {
  it("returns a source of two services once, with both", () => {
    const tools = [uses("a.A", source({}), source({ name: "More" })), uses("b.B", source({}), source({}))];
    expect(joinSources(tools)).toEqual([
      { ...source({}), services: ["a.A", "b.B"] },
      { ...source({ name: "More" }), services: ["a.A"] },
    ]);
  });

  it.each<Partial<DataSource>>([
    { name: "x" },
    { publisher: "x" },
    { url: "x" },
    { license: "x" },
    { attribution: "x" },
    { version: "x" },
    { builtAt: new Date(1) },
    { builtAt: undefined },
  ])("returns both of two sources that differ in %j", (more) => {
    expect(joinSources([uses("a.A", source({}), source(more))])).toHaveLength(2);
  });

  it("is empty for services without sources", () => {
    expect(joinSources([uses("a.A"), { service: { typeName: "b.B" } }])).toEqual([]);
  });
});
