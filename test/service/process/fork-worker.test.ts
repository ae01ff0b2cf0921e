import cluster from "node:cluster";
import { expect, test, vi } from "vitest";
import { forkWorker } from "../../../src/service/process/fork-worker.js";
import { createGathering } from "../../../src/service/process/gather-answers.js";

test("a worker for which the system has no memory has ended, rather than its supervisor", async () => {
  // Node throws this one, while it tells of EAGAIN and EMFILE by an event.
  const fork = vi.spyOn(cluster, "fork").mockImplementation(() => {
    throw new Error("spawn ENOMEM");
  });
  const gathering = createGathering(0, () => () => undefined, new Map());
  const worker = forkWorker({}, gathering, async () => []);
  fork.mockRestore();
  expect(await worker.started).toMatchObject({
    ok: false,
    failure: { reason: "ENDED", description: "spawn ENOMEM" },
  });
  expect(await worker.gone).toBe("spawn ENOMEM");
  worker.stop();
  worker.kill();
});
