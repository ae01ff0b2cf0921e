import { type ClientHttp2Session, connect } from "node:http2";
import { ShelfService } from "connect-transcoding-testing/shelf-service.js";
import { afterAll, expect, test } from "vitest";
import { useOnePort } from "../support/servers.js";

let started = 0;
const small = useOnePort({
  routes: (router) =>
    router.service(ShelfService, {
      collectBooks: () => {
        started += 1;
        return new Promise(() => {});
      },
    }),
  transport: { maxHeldBytes: 120_000 },
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
  await expect.poll(() => statuses).toEqual(["8", "8", "8"]);
  expect([modestStatuses, modest.destroyed]).toEqual([[], false]);
});
