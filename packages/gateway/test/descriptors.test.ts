import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescFile, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { type ConnectRouter, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { reflectionRoutes } from "connect-transcoding";
import { ServerReflection } from "connect-transcoding/gen/grpc/reflection/v1/reflection_pb.js";
import { defineService, ruleOf } from "connect-transcoding-testing/define-service.js";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startShop } from "./support/shop.js";
import { gatewayTo, startTestGateway, startUpstream } from "./support/upstream.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gateway-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file, and returns its path. */
function write(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The descriptor set of the file of a service, without other services. */
function setOf({ file }: DescService): Uint8Array {
  const all = (each: DescFile): DescFile[] => [...each.dependencies.flatMap(all), each];
  const files = [...new Set(all(file))].map(({ proto }) =>
    proto === file.proto ? proto : { ...proto, service: [] },
  );
  return toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: files }));
}

const SHELF = { getBook: ({ name }: { name: string }) => ({ name, title: "T" }) };
const RULES = "type: google.api.Service\nhttp:\n  rules:\n    - selector: shop.v1.Shop.GetItem\n      get: ";

describe("reflection", () => {
  test("of a server of grpc-js, with rules from a file", async () => {
    const rules = write(
      "service.yaml",
      `${RULES}/v1/items/{name}\n    - selector: shop.v1.Shop.WatchItem\n      get: /v1/items/{name}:watch\n`,
    );
    const { url } = await startTestGateway({ upstreams: [{ prefix: "", url: await startShop() }], rules });
    const response = await fetch(`${url}/v1/items/pen`, { headers: { "x-reader": "Ada" } });
    expect([response.status, await response.json()]).toEqual([200, { name: "pen", price: 5 }]);
    const missing = await fetch(`${url}/v1/items/missing`);
    expect([missing.status, missing.headers.get("x-reason")]).toEqual([404, "sold"]);
    expect(await missing.json()).toMatchObject({ error: { status: "NOT_FOUND", message: "no such item" } });
    const stream = await fetch(`${url}/v1/items/pen:watch`);
    expect(await stream.json()).toEqual([
      { name: "pen", price: 1 },
      { name: "pen", price: 2 },
    ]);
  });

  test("v1alpha, if the server has no v1", async () => {
    const onlyAlpha = (router: ConnectRouter): void => {
      const filtered = {
        ...router,
        service: (...[service, implementation]: Parameters<ConnectRouter["service"]>) => {
          if (service !== (ServerReflection as DescService)) {
            router.service(service, implementation);
          }
          return filtered;
        },
      } as ConnectRouter;
      reflectionRoutes([ShelfService])(filtered);
    };
    const { url } = await gatewayTo(await startUpstream(SHELF, { services: [], routes: onlyAlpha }));
    expect((await fetch(`${url}/v1/shelves/1/books/2`)).status).toBe(200);
  });

  test("loads new descriptors without closing connections or calls", async () => {
    const smaller = defineService([{ name: "GetBook", rule: ruleOf("GET /v0/{name=shelves/*/books/*}") }]);
    const old = await startUpstream(SHELF, { services: [smaller] });
    const gateway = await gatewayTo(old);
    expect((await fetch(`${gateway.url}/v0/shelves/1/books/2`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/shelves/1/books/2`)).status).toBe(404);
    await old.kill();
    let finish: (() => void) | undefined;
    const updated = await startUpstream(
      {
        getBook: ({ name }) =>
          name.endsWith("slow")
            ? new Promise((resolve) => {
                finish = () => resolve({ name, title: "slow" });
              })
            : { name },
      },
      { port: old.port },
    );
    const slow = fetch(`${gateway.url}/v0/shelves/1/books/slow`);
    await expect.poll(() => finish).toBeDefined();
    await gateway.reload();
    expect((await fetch(`${gateway.url}/v1/shelves/1/books/2`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v0/shelves/1/books/2`)).status).toBe(404);
    finish?.();
    expect(await (await slow).json()).toMatchObject({ title: "slow" });
    await updated.kill();
    await gateway.reload();
    expect(gateway.lines.at(-1)).toContain("no descriptors by reflection");
    await startUpstream(SHELF, { port: old.port });
    expect((await fetch(`${gateway.url}/v1/shelves/1/books/2`)).status).toBe(200);
  });

  test("waits for an upstream that is not there yet", async () => {
    const upstream = await startUpstream(SHELF);
    await upstream.kill();
    const gateway = await gatewayTo(upstream);
    const before = await fetch(`${gateway.url}/v1/shelves/1/books/2`);
    expect([before.status, (await fetch(`${gateway.url}/readyz`)).status]).toEqual([503, 503]);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    await startUpstream(SHELF, { port: upstream.port });
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/shelves/1/books/2`)).status).toBe(200);
  });

  test("of the gateway lists the services of its upstreams", async () => {
    const { url } = await gatewayTo(await startUpstream(SHELF));
    const { serverReflectionInfo } = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
    async function* list() {
      yield { messageRequest: { case: "listServices" as const, value: "*" } };
    }
    for await (const { messageResponse } of serverReflectionInfo(list())) {
      expect(messageResponse).toMatchObject({ case: "listServicesResponse" });
      expect(JSON.stringify(messageResponse.value)).toContain(ShelfService.typeName);
    }
    expect.assertions(2);
  });
});

describe("descriptor sets", () => {
  test("are reloaded when the file changes, and the previous ones stay if it is invalid", async () => {
    const upstream = await startUpstream(SHELF, { services: [] });
    const old = defineService([{ name: "GetBook", rule: ruleOf("GET /v0/{name=shelves/*/books/*}") }]);
    const path = write("set.binpb", setOf(old));
    const gateway = await gatewayTo(upstream, { descriptors: [path] });
    const statusOf = async (version: string) =>
      (await fetch(`${gateway.url}/${version}/shelves/1/books/2`)).status;
    expect(await statusOf("v0")).toBe(200);
    write("set.binpb", setOf(ShelfService));
    await expect.poll(() => statusOf("v1")).toBe(200);
    expect(await statusOf("v0")).toBe(404);
    write("set.binpb", "none");
    await expect.poll(() => gateway.lines.at(-1)).toContain("kept the previous descriptors: --descriptor");
    expect(await statusOf("v1")).toBe(200);
  });

  test("rules are reloaded, and those of unknown methods are ignored with a line in the log", async () => {
    const path = write("service.yaml", `${RULES}/v1/items/{name}\n`);
    const gateway = await startTestGateway({
      upstreams: [{ prefix: "", url: await startShop() }],
      rules: path,
    });
    expect((await fetch(`${gateway.url}/v1/items/pen`)).status).toBe(200);
    write(
      "service.yaml",
      `${RULES}/v2/items/{name}\n    - selector: other.v1.Other.Get\n      get: /v1/others\n`,
    );
    await expect.poll(async () => (await fetch(`${gateway.url}/v2/items/pen`)).status).toBe(200);
    // The first reading can end where the old content did.
    await expect
      .poll(() => gateway.lines)
      .toContain("ignored a rule for other.v1.Other.Get, which is no method of an upstream");
  });

  test("a route that cannot be served is left out with a line in the log", async () => {
    const path = write("service.yaml", `${RULES}/v1/items/{unknown}\n`);
    const gateway = await startTestGateway({
      upstreams: [{ prefix: "", url: await startShop() }],
      rules: path,
    });
    expect(gateway.lines.join("\n")).toMatch(/left out a route of shop\.v1\.Shop\.GetItem: .*unknown/);
    expect((await fetch(`${gateway.url}/v1/items/pen`)).status).toBe(404);
  });
});

test("several upstreams: the longest prefix decides, and one that is down does not stop the others", async () => {
  const shelf = await startUpstream(SHELF);
  const shop = await startShop();
  const rules = write("service.yaml", `${RULES}/v1/items/{name}\n`);
  const { url } = await startTestGateway({
    upstreams: [
      { prefix: "", url: "http://127.0.0.1:1" },
      { prefix: "test", url: shelf.url },
      { prefix: "shop.v1", url: shop },
    ],
    rules,
  });
  expect((await fetch(`${url}/v1/items/pen`)).status).toBe(200);
  expect((await fetch(`${url}/v1/shelves/1/books/2`)).status).toBe(200);
  const ready = await fetch(`${url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, "1 of 3 upstream servers are not ready\n"]);
});
