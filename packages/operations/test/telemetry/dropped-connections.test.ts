import { expect, test } from "vitest";
import { reportDroppedConnections } from "../../src/telemetry/dropped-connections.js";

test("reports closed connections once a minute, and not for idle ones alone", () => {
  let now = 0;
  const reports: unknown[] = [];
  const onDropped = reportDroppedConnections(
    (counts, client) => reports.push([now, counts, client]),
    () => now,
  );
  onDropped("idle", "192.0.2.1");
  expect(reports).toEqual([]);
  onDropped("in_use", "192.0.2.2");
  for (now = 1; now <= 60_000; now += 1) {
    onDropped(now % 2 === 0 ? "new" : "in_use", "192.0.2.3");
  }
  expect(reports).toEqual([
    [0, { idle: 1, in_use: 1, new: 0 }, "192.0.2.2"],
    [60_000, { idle: 0, in_use: 30_000, new: 30_000 }, "192.0.2.3"],
  ]);
});
