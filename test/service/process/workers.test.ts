import cluster from "node:cluster";
import { expect, test, vi } from "vitest";
import { runWorkers } from "../../../src/service/process/workers.js";

test("a worker that cannot start for lack of memory does not end the primary process", async () => {
  // Node throws ENOMEM, whereas it emits EAGAIN and EMFILE as events.
  const fork = vi.spyOn(cluster, "fork").mockImplementation(() => {
    throw new Error("spawn ENOMEM");
  });
  const started = await runWorkers(
    { workers: 2, stopTimeout: 1_000 },
    { reportBug: () => {}, log: () => {} },
  );
  fork.mockRestore();
  expect(started).toMatchObject({ ok: false, failure: { description: "Error: spawn ENOMEM" } });
});
