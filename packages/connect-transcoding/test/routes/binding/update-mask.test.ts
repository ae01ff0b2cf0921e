import type { ConnectRouter } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { TranscodingOptions } from "../../../src/call/options.js";
import { createServer } from "../../../src/hosts/server.js";
import { GardenService, type UpdatePlantRequest } from "../../gen/garden/v1/garden_pb.js";

/** Sends a PATCH request and returns the paths of the mask that the handler gets; undefined without a mask. */
async function pathsOf(body: unknown, query = "", transcoding: TranscodingOptions = {}) {
  let paths: readonly string[] | undefined;
  const routes = (router: ConnectRouter) =>
    router.service(GardenService, {
      updatePlant: ({ updateMask }: UpdatePlantRequest) => {
        paths = updateMask?.paths;
        return {};
      },
    });
  const server = createServer({ routes, transcoding: { unsupported: "skip", ...transcoding } });
  const { port } = await server.listen("127.0.0.1", 0);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/gardens/1/plants/2${query}`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return paths;
  } finally {
    await server.close(0);
  }
}

describe("the mask of a PATCH request without one has the members of the body", () => {
  test.each<[string, object, string[] | undefined]>([
    ["fields", { species: "a", color: "b" }, ["species", "color"]],
    ["fields at their default", { species: "", height: 0 }, ["species", "height"]],
    ["fields that are cleared", { color: null }, ["color"]],
    ["nested messages", { pot: { size: 1 }, roots: { depth: 2 } }, ["pot.size", "roots.depth"]],
    ["empty messages", { pot: {} }, ["pot"]],
    ["lists as a whole", { tags: ["a", "b"] }, ["tags"]],
    ["messages with a form of their own as a whole", { createTime: "2026-01-01T00:00:00Z" }, ["create_time"]],
    ["proto names", { create_time: "2026-01-01T00:00:00Z", old_season: 0 }, ["create_time", "old_season"]],
    ["no fields", {}, undefined],
  ])("%s", async (_what, body, expected) => {
    expect(await pathsOf(body)).toEqual(expected);
  });
});

test("a mask of the client stays", async () => {
  expect(await pathsOf({ species: "a", color: "b" }, "?updateMask=color")).toEqual(["color"]);
});

test("an empty mask of the client is filled", async () => {
  expect(await pathsOf({ species: "a" }, "?updateMask=")).toEqual(["species"]);
});

test.each<[object, string[] | undefined]>([
  [{ species: "a", nope: 1 }, ["species"]],
  [{ pot: { nope: 1 } }, undefined],
  [{ pot: { nope: 1, size: 2 } }, ["pot.size"]],
  [{ season: "SEASON_SIXTH" }, undefined],
  [{ season: "SEASON_SPRING" }, ["season"]],
])("members that are ignored are not in the mask: %j", async (body, expected) => {
  expect(await pathsOf(body, "", { unknownParameters: "ignore" })).toEqual(expected);
});

test("updateMasks: leave", async () => {
  expect(await pathsOf({ species: "a" }, "", { updateMasks: "leave" })).toBeUndefined();
});
