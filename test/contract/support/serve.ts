import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type Server, type StartOptions, startServer } from "../../../src/service/server.js";

import type { Tool, ToolEnvironment } from "../../../src/tools/tool.js";
import { releaseTools } from "../../support/release-tools.js";

/** The fixed time of the services under test, from a test vector of RFC 6238. */
const NOW = 1_111_111_109_000;

/** Side effects for tests: a fixed time, and the secret of RFC 6238 instead of random bytes. */
const WORLD: Pick<ToolEnvironment, "now" | "randomBytes"> = {
  now: () => NOW,
  randomBytes: (size) => new TextEncoder().encode("12345678901234567890").subarray(0, size),
};

/** A page with a file of each kind, in place of the one that a build writes. */
export const PAGE_FOLDER = join(import.meta.dirname, "page");

/** A server for the tests of a file or describe block. */
export interface TestServer {
  /** Scheme, host and port. Available while tests run. */
  readonly url: string;
  readonly port: number;
  /** The bugs that were reported so far. */
  readonly bugs: unknown[];
}

let loading: Promise<readonly Tool[]> | undefined;

/** All tools with their default data. All servers of a process share them, because their files have some 150 MB. */
export function realTools(): Promise<readonly Tool[]> {
  loading ??= releaseTools(WORLD);
  return loading;
}

/** Starts a server on a free port before the tests and stops it after them. */
export function useServer(
  given: Partial<StartOptions> | (() => Promise<Partial<StartOptions>>) = {},
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
      workbenchFolder: PAGE_FOLDER,
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

/** Implementations of the methods of GeoIpService that a test does not call. */
export const OTHER_METHODS = { lookupSelf: () => ({}), batchLookupIps: () => ({}), lookupAsn: () => ({}) };
