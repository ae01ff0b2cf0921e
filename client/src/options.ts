import { Code, ConnectError, type Interceptor } from "@connectrpc/connect";

/** An API key, or a function that returns the current one. The function is called once per attempt. */
export type ApiKeySource = string | (() => string | Promise<string>);

/** How often a call is retried, and after which delay. */
export interface RetryPolicy {
  /** Maximum number of retries; 0 for none. */
  readonly count: number;
  /** Longest delay before the first retry, in milliseconds. It doubles with each retry. */
  readonly baseDelay: number;
  /** Longest delay before any retry, in milliseconds, unless the service asks for a longer one. */
  readonly maxDelay: number;
}

/** Options of a client over any transport. */
export interface ClientOptions {
  /** Sent as `Authorization: Bearer …`, unless the call sets that header itself. */
  readonly apiKey?: ApiKeySource | undefined;
  /**
   * Timeout of a whole call, retries included, in milliseconds: at most a day, 0 for none. Default: 10,000. `timeoutMs` of a call
   * overrides it.
   */
  readonly timeout?: number | undefined;
  /** Retries of idempotent methods. Default: 3, after random delays of up to 100, 200 and 400 ms. */
  readonly retries?: { readonly [Name in keyof RetryPolicy]?: RetryPolicy[Name] | undefined } | undefined;
  /** Headers of every call; headers of a call override them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of a client that creates its own transport. */
export interface ClientTransportOptions extends ClientOptions {
  /** Whether messages use protobuf's binary format; JSON otherwise. Default: true. */
  readonly binary?: boolean | undefined;
  /**
   * Whether methods without side effects use GET, so that HTTP caches can store the responses. Connect only. Default: false, because
   * proxies log URLs.
   */
  readonly httpGet?: boolean | undefined;
  /** connect interceptors; each attempt of a call passes through them. */
  readonly interceptors?: readonly Interceptor[] | undefined;
}

/** Default timeout of a call, in milliseconds. */
export const DEFAULT_TIMEOUT = 10_000;

/** Longest timeout, in milliseconds: a day. gRPC's header has eight digits, and timers overflow after 24.8 days. */
const MAX_TIMEOUT = 86_400_000;

/** Syntax of a bearer token: RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Message of the error for an invalid API key. It does not contain the key; the error that `Headers` throws does. */
export const INVALID_API_KEY = "the API key has characters that no key has";

/** Returns whether a string has the syntax of an API key. */
export function isApiKey(key: string): boolean {
  return BEARER_TOKEN.test(key);
}

/** The names of all options of a type, as the keys of an object. */
type OptionNames<T> = { readonly [Name in keyof T]-?: unknown };

/** The names of {@link ClientOptions}. */
const CLIENT_OPTIONS: OptionNames<ClientOptions> = {
  apiKey: true,
  timeout: true,
  retries: true,
  headers: true,
};

/** The names of {@link ClientTransportOptions}. */
export const TRANSPORT_OPTIONS: OptionNames<ClientTransportOptions> = {
  ...CLIENT_OPTIONS,
  binary: true,
  httpGet: true,
  interceptors: true,
};

const RETRY_OPTIONS: OptionNames<RetryPolicy> = { count: true, baseDelay: true, maxDelay: true };

/** Throws a `TypeError` for an option that is not one of `names`. Its `cause` is the name. */
export function checkNames<T extends object>(where: string, options: T, names: OptionNames<T>): void {
  for (const name in options) {
    if (!Object.hasOwn(names, name)) {
      const beginning = name.slice(0, 4).toLowerCase();
      const similar = Object.keys(names).find((each) => each.toLowerCase().startsWith(beginning));
      const suggestion = similar === undefined ? "" : `; did you mean ${similar}?`;
      throw new TypeError(
        `${where} has no option ${JSON.stringify(name)}${suggestion}; allowed: ${Object.keys(names).join(", ")}`,
        { cause: name },
      );
    }
  }
}

/**
 * Throws a `TypeError` for an unknown option, a `RangeError` for a number that is out of range, and a `ConnectError` for an invalid API
 * key.
 */
export function checkOptions(options: ClientOptions): void {
  checkNames("the client", options, CLIENT_OPTIONS);
  const { apiKey, timeout, retries = {} } = options;
  checkNames("retries", retries, RETRY_OPTIONS);
  const { count = 0, baseDelay = 0, maxDelay = 0 } = retries;
  if (timeout !== undefined && !(timeout >= 0 && timeout <= MAX_TIMEOUT)) {
    throw new RangeError(`timeout must be from 0 to ${MAX_TIMEOUT} milliseconds`);
  }
  if (!(Number.isInteger(count) && count >= 0 && count <= 100)) {
    throw new RangeError("retries.count must be a whole number from 0 to 100");
  }
  if (![baseDelay, maxDelay].every((delay) => delay >= 0 && delay <= MAX_TIMEOUT)) {
    throw new RangeError(`retries.baseDelay and retries.maxDelay must be from 0 to ${MAX_TIMEOUT}`);
  }
  if (typeof apiKey === "string") {
    bearer(apiKey);
  }
}

/** The options that do not concern the transport. */
export function sharedOptions({ apiKey, timeout, retries, headers }: ClientOptions): ClientOptions {
  return { apiKey, timeout, retries, headers };
}

/** Returns the `Authorization` header for an API key. Throws a `ConnectError` if the key is invalid. */
export async function authorization(apiKey: ApiKeySource): Promise<string> {
  return bearer(typeof apiKey === "string" ? apiKey : await apiKey());
}

function bearer(key: string): string {
  if (!isApiKey(key)) {
    throw new ConnectError(INVALID_API_KEY, Code.InvalidArgument);
  }
  return `Bearer ${key}`;
}

/**
 * Validates the URL of the service and returns it as a base URL for connect's transports, without a trailing slash. The URL may have
 * a path, for a service behind a proxy. In a browser, a relative URL is resolved against the page.
 *
 * Throws a `TypeError`. Its message does not contain the URL, which may include a password.
 */
export function serviceUrl(url: string | URL): string {
  const { location } = globalThis as { location?: { readonly href: string } };
  let parsed: URL;
  try {
    parsed = new URL(url, location?.href);
  } catch {
    throw new TypeError("the service URL must be a URL such as http://127.0.0.1:8080");
  }
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new TypeError("the service URL must begin with http:// or https://");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("the service URL must not have a user or password; use apiKey for a key");
  }
  if (parsed.search !== "" || parsed.hash !== "") {
    throw new TypeError("the service URL must not have a query or fragment");
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}
