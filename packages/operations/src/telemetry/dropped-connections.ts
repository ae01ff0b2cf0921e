import type { DroppedConnection } from "connect-transcoding";

/** The minimum interval of reports in milliseconds: a client can cause thousands of closed connections a second. */
const INTERVAL = 60_000;

/** The number of connections that were closed since the previous report, by kind. */
export type DroppedConnections = Readonly<Record<DroppedConnection, number>>;

/**
 * Reports that connections are closed because there are too many, at most once a minute. Idle ones that are replaced are counted, but are no
 * reason for a report.
 *
 * @param report called with the counts, and the client network of the latest connection, empty if it is not known
 * @param now returns milliseconds on a monotonic clock
 */
export function reportDroppedConnections(
  report: (counts: DroppedConnections, client: string) => void,
  now: () => number,
): (which: DroppedConnection, client: string) => void {
  let counts = { idle: 0, in_use: 0, new: 0 };
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (which, client) => {
    counts[which] += 1;
    if (which !== "idle" && now() - reportedAt >= INTERVAL) {
      reportedAt = now();
      report(counts, client);
      counts = { idle: 0, in_use: 0, new: 0 };
    }
  };
}
