import type { ConnectRouter } from "@connectrpc/connect";
import {
  GardenService,
  type UpdatePlantRequest,
} from "connect-transcoding-testing/gen/garden/v1/garden_pb.js";
import { describe, expect, test } from "vitest";
import type { TranscodingOptions } from "../../../src/call/options.js";
import { createServer } from "../../../src/hosts/server.js";

/** Sends a PATCH request and returns the paths of the mask that the handler gets; undefined without a mask. */
async function pathsOf(body: unknown, query = "", transcoding: TranscodingOptions = {}) {
  const { status, paths } = await patch(body, query, transcoding);
  expect(status).toBe(200);
  return paths;
}

/** Sends a PATCH request. */
async function patch(body: unknown, query: string, transcoding: TranscodingOptions = {}) {
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
    const { error } = (await response.json()) as { readonly error?: { readonly message: string } };
    return { status: response.status, paths, message: error?.message };
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

// https://google.aip.dev/161
test.each([
  ["color", ["color"]],
  ["createTime,old_season", undefined],
  ["createTime,oldSeason", ["create_time", "old_season"]],
  ["create_time,pot.size", ["create_time", "pot.size"]],
  ["*", ["*"]],
  ["pot.*", ["pot.*"]],
  ["createTime.seconds", ["create_time.seconds"]],
  ["tags.x", ["tags.x"]],
])("the mask %s has the paths %j", async (mask, expected) => {
  const { status, paths } = await patch({ species: "a" }, `?updateMask=${mask}`);
  expect([status, paths]).toEqual(expected === undefined ? [400, undefined] : [200, expected]);
});

test.each([
  ["update_mask", "nope", "nope"],
  ["updateMask", "color,nope", "nope"],
  ["updateMask", "pot.nope", "pot.nope"],
  ["updateMask", "color.nope", "color.nope"],
  ["updateMask", "plant.color", "plant.color"],
])("?%s=%s is rejected", async (name, mask, path) => {
  const message = `${name}: names '${path}', which is not a field of garden.v1.Plant`;
  expect(await patch({}, `?${name}=${mask}`)).toEqual({ status: 400, paths: undefined, message });
});

test.each<TranscodingOptions>([{ updateMasks: "leave" }, { unknownParameters: "ignore" }])(
  "with %j, an unknown path stays",
  async (options) => {
    expect(await pathsOf({}, "?updateMask=nope,color", options)).toEqual(["nope", "color"]);
  },
);

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
