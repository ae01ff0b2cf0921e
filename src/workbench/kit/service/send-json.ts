import type { Result } from "../../../failures/result.js";
import type { ShownError } from "./errors.js";

/**
 * Calls a method by its name in JSON, without the descriptors of the schema, which are several times as large as a panel. The request
 * is in the body, so that no text of the user is in the URL of a request.
 */
export type CallJson = <Answer>(
  /** For example `GeoIpService/LookupIp`. */
  method: string,
  request: object,
  signal: AbortSignal,
  /** Called with the headers of the response. */
  onHeaders?: (headers: Headers) => void,
) => Promise<Result<Answer, ShownError>>;

/** How long a call may take, in milliseconds. */
const TIMEOUT = 30_000;

/**
 * Creates a function that calls methods over the JSON form of the Connect protocol.
 * https://connectrpc.com/docs/protocol/#unary-request
 */
export function createCallJson(baseUrl: string, apiKey: () => string): CallJson {
  return async <Answer>(
    method: string,
    request: object,
    signal: AbortSignal,
    onHeaders?: (headers: Headers) => void,
  ) => {
    const key = apiKey();
    try {
      const response = await fetch(`${baseUrl}/utilitytools.v1.${method}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "connect-protocol-version": "1",
          ...(key === "" ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify(request),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]),
      });
      onHeaders?.(response.headers);
      const body: unknown = await response.json().catch(() => undefined);
      return response.ok && body !== undefined
        ? { ok: true, value: body as Answer }
        : { ok: false, failure: readJsonError(response, body) };
    } catch {
      signal.throwIfAborted();
      return { ok: false, failure: { ...UNAVAILABLE, message: "the service does not respond" } };
    }
  };
}

const UNAVAILABLE: ShownError = {
  code: "UNAVAILABLE",
  message: "",
  reason: "",
  metadata: {},
  violations: [],
  retryAfter: undefined,
};

/** The parts of an error in JSON that the page uses. */
interface JsonError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly {
    readonly debug?: {
      readonly reason?: string;
      readonly metadata?: Readonly<Record<string, string>>;
      readonly fieldViolations?: ShownError["violations"];
    };
  }[];
}

/** Reads an error in JSON. A body that is not one comes from a proxy: the service is not reachable. */
function readJsonError(response: Pick<Response, "headers">, body: unknown): ShownError {
  const { code, message = "", details = [] } = (body ?? {}) as JsonError;
  const seconds = response.headers.get("retry-after") ?? "";
  const debug = details.flatMap((detail) => detail.debug ?? []);
  return {
    ...UNAVAILABLE,
    ...(code === undefined ? {} : { code: code.toUpperCase() }),
    message,
    reason: debug.find(({ reason }) => reason !== undefined)?.reason ?? "",
    metadata: debug.find(({ metadata }) => metadata !== undefined)?.metadata ?? {},
    violations: debug.flatMap(({ fieldViolations }) => fieldViolations ?? []),
    retryAfter: /^\d{1,9}$/.test(seconds) ? Number(seconds) * 1_000 : undefined,
  };
}
