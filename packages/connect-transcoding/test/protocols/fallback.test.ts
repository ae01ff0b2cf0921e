import { request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { useOnePort } from "../support/servers.js";
import { ShelfService } from "../support/shelf-service.js";

// A text for which the qualities of Brotli differ.
const title = Array.from({ length: 2_000 }, (_, index) => (index * index) % 1_013).join(" ");
const server = useOnePort({
  routes: (router) =>
    router.service(ShelfService, { getBook: () => ({ title }), createBook: () => ({ title }) }),
});

/** Returns the body of a Connect GET request as it is sent. */
async function get(coding: string): Promise<Buffer> {
  const target = `/${ShelfService.typeName}/GetBook?connect=v1&encoding=json&message={}`;
  const outgoing = request(`${server.url}${target}`, { headers: { "accept-encoding": coding } });
  return new Promise((resolve, reject) => {
    outgoing.on("response", (response) => resolve(buffer(response))).on("error", reject);
    outgoing.end();
  });
}

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["br", (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["gzip", (bytes) => gzipSync(bytes)],
])("compresses with %s at a quality for responses that are sent once", async (coding, compress) => {
  const plain = await get("identity");
  expect(JSON.parse(plain.toString())).toMatchObject({ title });
  expect((await get(coding)).equals(compress(plain))).toBe(true);
});

// connect-es repeats the value in its error, and cannot write an unpaired surrogate in a header.
test.each(["application/grpc-web+json", "application/grpc+json"])(
  "rejects an unpaired surrogate in place of an enum value in %s",
  async (type) => {
    const json = Buffer.from('{"book":{"genre":"\\ud800"}}');
    const prefix = Buffer.from([0, 0, 0, 0, json.length]);
    const response = await fetch(`${server.url}/${ShelfService.typeName}/CreateBook`, {
      method: "POST",
      headers: { "content-type": type, "grpc-accept-encoding": "gzip" },
      body: Buffer.concat([prefix, json]),
    });
    expect([response.status, response.headers.get("grpc-status")]).toEqual([200, "3"]);
    expect(response.headers.get("grpc-message")).toBe("the message is malformed");
  },
);

let started = 0;
const small = useOnePort({
  routes: (router) =>
    router.service(ShelfService, {
      collectBooks: () => {
        started += 1;
        return new Promise(() => {});
      },
    }),
  transport: { maxHeldBytes: 1_000_000 },
});
const sessions: ClientHttp2Session[] = [];
afterAll(() => {
  for (const session of sessions) {
    session.destroy();
  }
});

function openConnection(): ClientHttp2Session {
  const session = connect(small.url).on("error", () => {});
  sessions.push(session);
  return session;
}

/** Opens streams. Returns the statuses of those that are rejected. */
function openStreams(session: ClientHttp2Session, count: number): unknown[] {
  const path = `/${ShelfService.typeName}/CollectBooks`;
  const statuses: unknown[] = [];
  for (let stream = 0; stream < count; stream++) {
    session
      .request({ ":method": "POST", ":path": path, "content-type": "application/grpc" }, { endStream: false })
      .on("error", () => {})
      .on("response", (headers) => statuses.push(headers["grpc-status"]));
  }
  return statuses;
}

test("the memory of open calls is limited: more of them are rejected on the connection that holds the most", async () => {
  const [greedy, modest] = [openConnection(), openConnection()];
  // Memory is scarce from 6 calls on.
  openStreams(greedy, 6);
  await expect.poll(() => started).toBe(6);
  const modestStatuses = openStreams(modest, 1);
  await expect.poll(() => started).toBe(7);
  const statuses = openStreams(greedy, 3);
  await expect.poll(() => statuses, { timeout: 5_000 }).toEqual(["8", "8", "8"]);
  expect([modestStatuses, modest.destroyed]).toEqual([[], false]);
});
