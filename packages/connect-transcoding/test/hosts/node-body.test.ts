import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { expect, test } from "vitest";
import { createTranscodingAdapter } from "../../src/hosts/node.js";
import { collectBody } from "../../src/hosts/node-body.js";
import { useHttp1 } from "../support/servers.js";

test.each([
  ["ends a MiB after it", 1024, []],
  ["continues", 1025, ["cut"]],
  ["continues after it is cut", 1050, ["cut"]],
])("a body beyond a large limit is too large when it passes the limit, also if it %s", (_, parts, cut) => {
  const KIB = 1024;
  const limit = 4 * KIB * KIB;
  const source = new PassThrough();
  const events: unknown[] = [];
  const limits = { limit, announced: undefined, isAborted: () => false, cut: () => events.push("cut") };
  collectBody(source, limits, (outcome) => events.push(outcome));
  source.emit("data", Buffer.alloc(limit));
  expect(events).toEqual([]);
  for (let part = 0; part < parts; part++) {
    source.emit("data", Buffer.alloc(KIB));
  }
  expect(events).toEqual(["too large", ...cut]);
});

test("a body that has ended before it is read is complete", async () => {
  const source = Readable.from([]);
  source.resume();
  await once(source, "end");
  const outcomes: unknown[] = [];
  const limits = { limit: 10, announced: undefined, isAborted: () => false, cut: () => {} };
  collectBody(source, limits, (outcome) => outcomes.push(outcome));
  expect(outcomes).toEqual([Buffer.alloc(0)]);
});

const server = useHttp1(createTranscodingAdapter({ routes: shelfRoutes(), readMaxBytes: 1000 }));

test("a connection is cut once for a body that is too long", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const length = 8 * 1024 * 1024;
  const socket = connect(server.port, "127.0.0.1");
  // The server may reset the connection while the client still sends.
  socket.on("error", () => {});
  socket.write(
    `POST /test.Service/CreateBook HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(length, " "));
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});
