import { Code, ConnectError, createClient } from "@connectrpc/connect";
import type { Page } from "connect-transcoding";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "connect-transcoding/gen/health/v1/health_pb.js";
import { problemText } from "../errors.js";
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

/** The page `/readyz`: 200 if `problem` returns undefined and every upstream is ready, otherwise 503 with the reasons. */
export function readinessPage(upstreams: readonly Upstream[], problem: () => string | undefined): Page {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let problems: Promise<string[]> = Promise.resolve([]);
  return async () => {
    const own = problem();
    if (own === undefined && performance.now() - checkedAt > KEPT) {
      checkedAt = performance.now();
      problems = Promise.all(upstreams.map(problemOf)).then((all) =>
        all.filter((each) => each !== undefined),
      );
    }
    const all = own === undefined ? await problems : [own];
    return textPage(all.length === 0 ? 200 : 503, all.length === 0 ? "ready" : all.join("\n"));
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
