import { toJson } from "@bufbuild/protobuf";
import { AboutService, GetAboutResponseSchema } from "@utility-tools/protos/utilitytools/v1/about_pb.js";
import { expect, it } from "vitest";
import { callUnary } from "../../../packages/connect-transcoding/test/node/call.js";
import { aboutService } from "../../../src/tools/about/about-service.js";
import { emailService } from "../../../src/tools/email/email-service.js";

it("tells the version, and what tools are made of at the moment of the call", async () => {
  let builtAt: Date | undefined;
  const fields = {
    publisher: "P",
    url: "https://p.example",
    licence: "MIT",
    attribution: "by P",
    version: "7",
  };
  const tool = { ...emailService(), sources: () => [{ name: "N", ...fields, builtAt }] };
  const service = aboutService({ version: "1.2.3", tools: () => [tool, { ...emailService() }] });
  const about = async () =>
    toJson(GetAboutResponseSchema, await callUnary(service, AboutService.method.getAbout, {}));

  const services = ["utilitytools.v1.EmailService"];
  expect(await about()).toEqual({ version: "1.2.3", sources: [{ name: "N", ...fields, services }] });
  builtAt = new Date("2026-06-05T13:42:02Z");
  expect(await about()).toEqual({
    version: "1.2.3",
    sources: [{ name: "N", ...fields, build_time: "2026-06-05T13:42:02Z", services }],
  });
});
