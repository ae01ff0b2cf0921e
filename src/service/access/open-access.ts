import type { Admission, Refusal } from "connect-transcoding";
import { type Failure, ok, type Result } from "../../result.js";
import type { LimitStore } from "./limit-store.js";
import { type ApiKeysReload, loadApiKeys } from "./load-api-keys.js";
import { memoryStore } from "./memory-store.js";
import { limitRate, type RateLimit, type RateLimitDecision, rateLimitRefusal } from "./rate-limit.js";
import { API_KEY_REFUSALS, API_KEY_SCHEMES, type ApiKeyCheck, requireApiKey } from "./require-api-key.js";
import type { SharedStore, StoreState } from "./shared-store.js";

/** Who may use the service, and how much. */
export interface AccessSettings {
  /** The file of API keys; undefined lets everybody in. */
  readonly apiKeysFile: string | undefined;
  /** What needs no key although the rest does. */
  readonly openAreas: readonly ("docs" | "reflection" | "metrics")[];
  /** Undefined sets no limit. */
  readonly rateLimit: RateLimit | undefined;
  /** The URL of a Redis or Valkey server that shares the limit among replicas; undefined counts in this process alone. */
  readonly rateLimitStore: string | undefined;
}

/** What logs and metrics are told. */
export interface AccessEvents {
  /** A request that needs a key was looked at. */
  onKeyCheck(check: ApiKeyCheck): void;
  /** The file of keys has changed. */
  onKeysReload(reload: ApiKeysReload): void;
  /** A request was counted. */
  onDecision(decision: RateLimitDecision): void;
  /** The shared store could not be asked about a request, which was counted in this process. */
  onLocalCount(): void;
  /** The shared store can be reached now, or cannot; see `openSharedStore`. */
  onStoreState(state: StoreState, why: string): void;
}

/** The rules of the settings. */
export interface Access {
  /** In the order in which they have to be asked: a key comes first, for limits go by its name. */
  readonly admissions: readonly Admission[];
  /** What they refuse requests with. */
  readonly refusals: readonly Refusal[];
  /** How a key is shown, as OpenAPI describes it; undefined where none is needed. */
  readonly securitySchemes: typeof API_KEY_SCHEMES | undefined;
  /** Ends the watch of the file and the connection to the store. */
  close(): void;
}

/**
 * Makes the rules that the settings ask for. The failure's description begins with the name of the setting that is at
 * fault.
 *
 * @param now milliseconds on a clock that does not go back
 */
export async function openAccess(
  { apiKeysFile, openAreas, rateLimit, rateLimitStore }: AccessSettings,
  events: AccessEvents,
  now: () => number,
): Promise<Result<Access, Failure>> {
  const admissions: Admission[] = [];
  const refusals: Refusal[] = [];
  const closers: (() => void)[] = [];
  const close = (): void => {
    for (const closer of closers.splice(0)) {
      closer();
    }
  };

  if (apiKeysFile !== undefined) {
    const keys = await loadApiKeys(apiKeysFile, (reload) => events.onKeysReload(reload));
    if (!keys.ok) {
      return named("API_KEYS_FILE", keys.failure);
    }
    closers.push(keys.value.stop);
    const onCheck = (check: ApiKeyCheck): void => events.onKeyCheck(check);
    admissions.push(requireApiKey({ keys: keys.value.current, openAreas, onCheck }));
    refusals.push(...API_KEY_REFUSALS);
  }

  if (rateLimit !== undefined) {
    const local = memoryStore(rateLimit.window);
    let shared: SharedStore | undefined;
    if (rateLimitStore !== undefined) {
      // The client of the store takes 10 MB and 0.1 s to load, which those without a store need not spend.
      const { openSharedStore } = await import("./shared-store.js");
      const onState = (state: StoreState, why: string): void => events.onStoreState(state, why);
      const standIn: LimitStore = {
        consume: (key, time) => {
          events.onLocalCount();
          return local.consume(key, time);
        },
      };
      const opened = openSharedStore({ ...rateLimit, url: rateLimitStore, local: standIn, onState });
      if (!opened.ok) {
        close();
        return named("RATE_LIMIT_STORE", opened.failure);
      }
      shared = opened.value;
      closers.push(shared.close);
    }
    const onDecision = (decision: RateLimitDecision): void => events.onDecision(decision);
    refusals.push(rateLimitRefusal(rateLimit));
    admissions.push(limitRate({ ...rateLimit, store: shared ?? local, now, onDecision }));
  }
  const securitySchemes = apiKeysFile === undefined ? undefined : API_KEY_SCHEMES;
  return ok({ admissions, refusals, securitySchemes, close });
}

function named(
  setting: string,
  { reason, description }: Failure,
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { reason, description: `${setting}: ${description}` } };
}
