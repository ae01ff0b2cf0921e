import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";
import { afterAll, beforeAll } from "vitest";

/** Starts a server on a free port of 127.0.0.1 for the tests of a file. The result is available while tests run. */
export function useListening(server: Server): { readonly port: number; readonly url: string } {
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  afterAll(() => {
    server.close();
  });
  const port = () => (server.address() as AddressInfo).port;
  return {
    get port() {
      return port();
    },
    get url() {
      return `http://127.0.0.1:${port()}`;
    },
  };
}
