import { Code } from "@connectrpc/connect";
import { ShelfService, shelfRoutes } from "connect-transcoding-testing/shelf-service.js";
import { expect, test } from "vitest";
import { parseConnectTimeout } from "../../../src/protocols/connect/format.js";
import { useOnePort } from "../../support/servers.js";

const server = useOnePort({ routes: shelfRoutes() });

function get(message: string): Promise<Response> {
  const query = new URLSearchParams({ encoding: "json", base64: "1", message });
  return fetch(`${server.url}/${ShelfService.typeName}/GetBook?${query}`);
}

test.each(["eyJuYW1lIjoiYSJ9ICA", "eyJuYW1lIjoiYSJ9ICA=", "eyJuYW1lIjoiYSJ9"])(
  "a GET request can have the message %j",
  async (message) => {
    expect(await (await get(message)).json()).toMatchObject({ name: "a" });
  },
);

test.each(["e", "eyJuYW1lIjoiYSJ9I", "e30===", "e3!0"])(
  "the message %j of a GET request is not base64",
  async (message) => {
    const response = await get(message);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "invalid_argument",
      message: "the message is not in the binary format of its type",
    });
  },
);

test.each([
  [undefined, undefined],
  ["0", 0],
  ["9999999999", 9_999_999_999],
])("connect-timeout-ms %j is %j ms", (value, milliseconds) => {
  expect(parseConnectTimeout(value)).toBe(milliseconds);
});

test.each(["", "1m", "-1", "1.5", "12345678901"])("connect-timeout-ms %j is malformed", (value) => {
  expect(parseConnectTimeout(value)).toMatchObject({ code: Code.InvalidArgument });
});
