import { Code, ConnectError } from "@connectrpc/connect";

/** An API key, or a function that gives it, asked at each call: for a key that changes. */
export type ApiKey = string | (() => string | Promise<string>);

/** What a bearer token is made of: RFC 6750, section 2.1. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** What is said of a key that cannot be one. No error here repeats the key, as that of `Headers` would. */
export const NO_KEY = "the API key has characters that no key has";

/** Whether a key can be one. */
export function isApiKey(key: string): boolean {
  return BEARER_TOKEN.test(key);
}

/** Throws at once where a key cannot be one. */
export function checkApiKey(apiKey: ApiKey | undefined): void {
  if (typeof apiKey === "string" && !isApiKey(apiKey)) {
    throw new ConnectError(NO_KEY, Code.InvalidArgument);
  }
}

/** The value of `Authorization` for a key. Throws a `ConnectError` where there is none to be had. */
export async function authorization(apiKey: ApiKey): Promise<string> {
  const key = typeof apiKey === "string" ? apiKey : await apiKey();
  if (!isApiKey(key)) {
    throw new ConnectError(NO_KEY, Code.InvalidArgument);
  }
  return `Bearer ${key}`;
}
