import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Page } from "connect-transcoding";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { createProblemLog, problemText } from "../errors.js";
import type { Upstream } from "../proxy/upstream.js";

/** The time in which an upstream must answer, and for which its answer is kept, in milliseconds. */
const TIMEOUT = 2_000;
const KEPT = 1_000;

/** The errors of servers without the health service or a state of the whole server, and of those that ask for credentials: all answer. */
const ANSWERS: ReadonlySet<Code> = new Set([
  Code.Unimplemented,
  Code.NotFound,
  Code.Unauthenticated,
  Code.PermissionDenied,
]);

/**
 * The page `/readyz`: 200 if `problem` returns undefined and every upstream is ready, otherwise 503 with the reason. The log has the
 * addresses of upstreams, which clients must not know.
 */
export function readinessPage(
  upstreams: readonly Upstream[],
  problem: () => string | undefined,
  log: (line: string) => void,
): Page {
  const report = createProblemLog((text) => log(`not ready: ${text}`));
  let checkedAt = Number.NEGATIVE_INFINITY;
  let problems: Promise<string | undefined> = Promise.resolve(undefined);
  return async () => {
    const own = problem();
    if (own === undefined && performance.now() - checkedAt > KEPT) {
      checkedAt = performance.now();
      problems = Promise.all(upstreams.map(problemOf)).then((all) => {
        const found = all.filter((each) => each !== undefined);
        report(found);
        return found.length > 0
          ? `${found.length} of ${all.length} upstream servers are not ready`
          : undefined;
      });
    }
    const reason = own ?? (await problems);
    return textPage(reason === undefined ? 200 : 503, reason ?? "ready");
  };
}

/** A page of plain text that is not cached. */
export function textPage(status: number, text: string) {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
    body: `${text}\n`,
  };
}

async function problemOf({ url, transport }: Upstream): Promise<string | undefined> {
  try {
    const { status } = await createClient(Health, transport).check({}, { timeoutMs: TIMEOUT });
    return status === Status.SERVING ? undefined : `${url}: ${Status[status]}`;
  } catch (thrown) {
    return thrown instanceof ConnectError && ANSWERS.has(thrown.code)
      ? undefined
      : `${url}: ${problemText(thrown)}`;
  }
}
