import { afterAll, beforeAll } from "vitest";
import { loadDocumentation } from "../../src/service/documentation.js";
import { type Server, type ServerOptions, startServer } from "../../src/service/server.js";

import type { Tool, ToolEnvironment } from "../../src/tools/tool.js";
import { releaseTools } from "../release-tools.js";

/** The time that the services under test take for now: that of a vector of RFC 6238. */
const NOW = 1_111_111_109_000;

/** The world as the services under test see it: time stands still, and the random octets are RFC 6238's secret. */
const WORLD: Pick<ToolEnvironment, "now" | "randomBytes"> = {
  now: () => NOW,
  randomBytes: (size) => new TextEncoder().encode("12345678901234567890").subarray(0, size),
};

/** A server that runs for the tests of one file. */
export interface TestServer {
  /** Scheme, host and port; only while tests run. */
  readonly url: string;
  readonly port: number;
  /** What was reported as a bug so far. */
  readonly bugs: unknown[];
}

/** All tools of the release on their default data. */
export const realTools = (): Promise<readonly Tool[]> => releaseTools(WORLD);

/** Starts a real server on a free port before the tests of a file, and stops it after them. */
export function useServer(
  given: Partial<ServerOptions> | (() => Promise<Partial<ServerOptions>>) = {},
): TestServer {
  let server: Server | undefined;
  const bugs: unknown[] = [];
  beforeAll(async () => {
    const options = typeof given === "function" ? await given() : given;
    const started = await startServer({
      host: "127.0.0.1",
      port: 0,
      publicBaseUrl: undefined,
      unknownParameters: "reject",
      tools: options.tools ?? (await realTools()),
      documentation: loadDocumentation(),
      reportBug: (bug) => bugs.push(bug),
      ...options,
    });
    if (!started.ok) {
      throw new Error(started.failure.description);
    }
    server = started.value;
  });
  afterAll(() => server?.stop(1000));

  const url = (): string => {
    if (server === undefined) {
      throw new Error("the server runs only while tests run");
    }
    return server.url;
  };
  return {
    get url() {
      return url();
    },
    get port() {
      return Number(new URL(url()).port);
    },
    bugs,
  };
}
