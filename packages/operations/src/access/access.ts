import { type ContextValues, createContextValues } from "@connectrpc/connect";
import type { IncomingRequest } from "connect-transcoding";
import type { DocumentedError } from "connect-transcoding/openapi";
import { type Failure, fail, ok, type Result } from "../failures/result.js";
import { type WatchFiles, watchFiles } from "../files/data-files.js";
import { type ApiKeysReload, loadApiKeys } from "./api-keys-file.js";
import { leasedStore } from "./leased-store.js";
import { quotaKey } from "./quota.js";
import {
  type LimitStore,
  limitRate,
  memoryStore,
  type RateLimit,
  type RateLimitDecision,
  rateLimitRejection,
} from "./rate-limit.js";
import type { StoreState } from "./rate-limit-store.js";
import {
  API_KEY_SCHEMES,
  type ApiKeyCheck,
  apiKeyRejections,
  type OpenPages,
  requireApiKey,
} from "./require-api-key.js";
import { limitWatches } from "./watch-limit.js";

/** The settings for API keys and rate limits. */
export interface AccessSettings {
  /** The path of the file of API keys; undefined to require none. */
  readonly apiKeysFile: string | undefined;
  /** The kinds of requests that never need a key. */
  readonly openAreas: readonly ("docs" | "reflection" | "metrics")[];
  /** Undefined for no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** The URL of a Redis or Valkey server, to share the limit between processes; undefined to count in this process. */
  readonly rateLimitStore: string | undefined;
  /** How many counts this process takes from that server at once. Default: 1. */
  readonly rateLimitBlock?: number;
}

/** How a program presents its settings. */
export interface AccessNames {
  /** The realm in `WWW-Authenticate`: a name without quotes. */
  readonly realm: string;
  /** The names of two settings, for descriptions of failures. */
  readonly apiKeysFile: string;
  readonly rateLimitStore: string;
  /** Pages that need no key. Default: none. */
  readonly openPages?: OpenPages;
}

/** Events for logs and metrics. */
export interface AccessEvents {
  /** Called once per request that needs a key, with the name of an accepted one. */
  readonly onKeyCheck: (check: ApiKeyCheck, name?: string) => void;
  /** Called when the file of keys has changed. */
  readonly onKeysReload: (reload: ApiKeysReload) => void;
  /** Called once per count of the rate limit. */
  readonly onDecision: (decision: RateLimitDecision) => void;
  /** Called once per count that was made in this process because the shared store was unavailable. */
  readonly onLocalCount: () => void;
  /** Called when the shared store becomes available or unavailable; see `openSharedStore`. */
  readonly onStoreState: (state: StoreState, why: string) => void;
}

/** API keys and rate limits, for the document of the API. */
export interface DescribedAccess {
  /** The errors that `onRequest` throws. */
  readonly rejections: readonly DocumentedError[];
  /** The headers for a key, as OpenAPI describes them; undefined if no key is needed. */
  readonly securitySchemes: typeof API_KEY_SCHEMES | undefined;
}

/** Describes the effect of settings on requests. */
export function describeAccess({
  apiKeysFile,
  rateLimit,
}: Pick<AccessSettings, "apiKeysFile" | "rateLimit">): DescribedAccess {
  return {
    rejections: [
      ...(apiKeysFile === undefined ? [] : apiKeyRejections()),
      ...(rateLimit === undefined ? [] : [rateLimitRejection(rateLimit)]),
    ],
    securitySchemes: apiKeysFile === undefined ? undefined : API_KEY_SCHEMES,
  };
}

/** API keys and rate limits, ready for the server. */
export interface Access extends DescribedAccess {
  /** Rejects a request by throwing a ConnectError. Synchronous unless the request is counted in a shared store. */
  readonly onRequest: (request: IncomingRequest) => void | Promise<void>;
  /** Returns the context values of a call: the rate limit as `quotaKey`. Undefined without a limit. */
  readonly contextValues: ((request: IncomingRequest) => ContextValues) | undefined;
  /** Stops watching the file of keys and closes the connection to the store. */
  close(): void;
}

/**
 * Opens the file of API keys and the store of the rate limit. The description of a failure starts with the name of the invalid
 * setting.
 *
 * @param now returns milliseconds on a monotonic clock
 * @param watch watches the file of API keys
 */
export async function openAccess(
  settings: AccessSettings,
  names: AccessNames,
  events: AccessEvents,
  now: () => number,
  watch: WatchFiles = watchFiles,
): Promise<Result<Access, Failure>> {
  const { apiKeysFile, openAreas, rateLimit, rateLimitStore, rateLimitBlock = 1 } = settings;
  const closers: (() => void)[] = [];
  const close = (): void => {
    for (const closer of closers.splice(0)) {
      closer();
    }
  };
  let checkKey = (_: IncomingRequest): void => {};
  let checkLimit = (_: IncomingRequest): void | Promise<void> => {};
  let contextValues: Access["contextValues"];
  const checkWatches = limitWatches();

  if (apiKeysFile !== undefined) {
    const keys = await loadApiKeys(apiKeysFile, events.onKeysReload, watch);
    if (!keys.ok) {
      return fail(keys.failure.reason, `${names.apiKeysFile}: ${keys.failure.description}`);
    }
    closers.push(keys.value.stop);
    checkKey = requireApiKey({
      keys: keys.value.current,
      openAreas,
      realm: names.realm,
      openPages: names.openPages,
      onCheck: events.onKeyCheck,
    });
  }

  if (rateLimit !== undefined) {
    const memory = memoryStore(rateLimit.window);
    let store: LimitStore = memory;
    if (rateLimitStore !== undefined) {
      // Loading the Redis client takes 10 MB and 0.1 s, so it is loaded only if needed.
      const { openSharedStore } = await import("./rate-limit-store.js");
      const shared = openSharedStore({
        ...rateLimit,
        url: rateLimitStore,
        local: {
          consume: (key, time, cost) => {
            events.onLocalCount();
            return memory.consume(key, time, cost);
          },
        },
        onState: events.onStoreState,
      });
      if (!shared.ok) {
        close();
        return fail(shared.failure.reason, `${names.rateLimitStore}: ${shared.failure.description}`);
      }
      closers.push(shared.value.close);
      store =
        rateLimitBlock === 1 ? shared.value : leasedStore(shared.value, rateLimit.limit, rateLimitBlock);
    }
    const { onRequest, quotaOf } = limitRate({ ...rateLimit, store, now, onDecision: events.onDecision });
    checkLimit = onRequest;
    contextValues = (request) => createContextValues().set(quotaKey, quotaOf(request));
  }

  return ok({
    onRequest: (request) => {
      // Sets the principal that limits count for.
      checkKey(request);
      checkWatches(request);
      return checkLimit(request);
    },
    contextValues,
    ...describeAccess(settings),
    close,
  });
}
