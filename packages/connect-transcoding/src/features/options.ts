import type { OptionNames } from "@utility-tools/http-server/portable";
import { SHARED_OPTIONS, type SharedOptions } from "../call/options.js";
import type { Comments } from "../openapi/comments.js";

/** The title of an API, and the rest of what its OpenAPI document says that is not in the proto files. */
export interface ApiInfo {
  readonly title: string;
  /** The version of the API, not of OpenAPI. */
  readonly version: string;
  /** Default: none. */
  readonly description?: string | undefined;
  /** The comments in the proto files, as `commentsOf` returns them, or a function that loads them at the first request. Default: none. */
  readonly comments?: Comments | (() => Comments | Promise<Comments>) | undefined;
}

/** The names of {@link ApiInfo}. */
export const API_INFO: OptionNames<ApiInfo> = {
  title: true,
  version: true,
  description: true,
  comments: true,
};

/** What a server serves besides its routes. What a feature needs is loaded at its first request. */
export interface Features {
  /** Serves the OpenAPI document at `/openapi.json`. Default: none. */
  readonly openapi?: ApiInfo | undefined;
  /** Whether to serve an API reference at `/docs`. Needs `openapi`. Default: false. */
  readonly docs?: boolean | undefined;
  /** Whether to serve `grpc.health.v1`: all services are serving until the server closes, or `shutdownSignal` aborts. Default: false. */
  readonly health?: boolean | undefined;
  /** Whether to serve gRPC reflection of all services. Default: false. */
  readonly reflection?: boolean | undefined;
  /**
   * Whether to serve the methods as tools of the Model Context Protocol at `/mcp`, under the title of `openapi`. Needs `openapi` and the package
   * `@modelcontextprotocol/server`. Sets `checkHost`. Default: false.
   */
  readonly mcp?: boolean | undefined;
}

/** Options of every host. */
export interface HostOptions extends SharedOptions, Features {}

/** The names of {@link HostOptions}. */
export const HOST_OPTIONS: OptionNames<HostOptions> = {
  ...SHARED_OPTIONS,
  openapi: true,
  docs: true,
  health: true,
  reflection: true,
  mcp: true,
};
