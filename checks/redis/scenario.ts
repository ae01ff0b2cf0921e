import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "../lib/programs.js";
import type { Outcome, Replica } from "./replica.js";

/** The number of clients in a scenario. */
export const CLIENTS = 40;

/** The maximum number of requests under load, and the number in flight per replica. */
const MAX_LOAD = 40_000;
const CONCURRENCY = 8;

/** Milliseconds between a response and the next request. */
const PAUSE = 2;

/** The duration of the load before and after the failure, in milliseconds. Longer than the timeout of the store. */
const LOAD_TIME = 1_000;

/** The maximum time until replicas use a server again, in milliseconds. */
const PATIENCE = 15_000;

/** Throws unless the condition holds. */
function expectThat(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`not so: ${what}`);
  }
  console.log(`  ${what}`);
}

/**
 * Checks replicas before the server starts, while it runs, hangs, is killed, and is restarted.
 *
 * @param limit the requests per client in a window that must be longer than the run
 * @param startServer starts the server that the replicas share
 */
export async function runScenario(
  replicas: readonly Replica[],
  limit: number,
  startServer: () => Promise<Program>,
): Promise<void> {
  let nextClient = 0;
  const newClient = (): number => {
    if (nextClient >= CLIENTS) {
      throw new Error("the scenario has no more clients");
    }
    return nextClient++;
  };
  const sendAll = (client: number): Promise<Outcome[]> =>
    Promise.all(Array.from({ length: 3 * limit }, (_, index) => at(replicas, index).send(client)));

  /** Sends three times the limit at once, over all replicas. */
  async function burst(allowed: number, how: string): Promise<void> {
    const outcomes = await sendAll(newClient());
    expectNoFailure(outcomes);
    const passed = outcomes.filter(({ outcome }) => outcome === "allowed").length;
    expectThat(passed === allowed, `${how}: ${passed} of ${outcomes.length} requests at once pass`);
  }

  async function untilShared(): Promise<void> {
    const started = performance.now();
    const [one, other] = [at(replicas, 0), at(replicas, 1)];
    const client = newClient();
    const isShared = async (): Promise<boolean> => {
      const outcomes = [await one.send(client), await other.send(client), await one.send(client)];
      expectNoFailure(outcomes);
      const [first = 0, second, third] = outcomes.map(({ remaining }) => remaining);
      return second === first - 1 && third === first - 2;
    };
    while (!(await isShared())) {
      if (performance.now() - started > PATIENCE) {
        throw new Error("the replicas do not share a limit");
      }
      await sleep(200);
    }
    console.log(`  the limit is shared after ${Math.round(performance.now() - started)} ms`);
  }

  const perReplica = `each of ${replicas.length} replicas by itself, without a server`;
  await burst(replicas.length * limit, perReplica);
  const first = await startServer();
  await untilShared();
  await burst(limit, "all replicas together");
  await burst(limit, "once more, for another client");

  const tenClients = (): number[] => Array.from({ length: 10 }, newClient);
  await underLoad(replicas, tenClients(), "hangs", async () => first.signal("SIGSTOP"));
  first.signal("SIGCONT");
  await untilShared();
  await underLoad(replicas, tenClients(), "is killed", () => first.stop("SIGKILL"));
  await burst(replicas.length * limit, perReplica);

  const second = await startServer();
  await untilShared();
  await burst(limit, "all replicas together again");
  await second.stop("SIGKILL");
}

/** Sends requests to every replica and calls `halfway` in between. No request may fail. */
async function underLoad(
  replicas: readonly Replica[],
  clients: readonly number[],
  what: string,
  halfway: () => Promise<unknown>,
): Promise<void> {
  const outcomes: Outcome[] = [];
  let slowest = 0;
  let isOver = false;
  const sendLoad = async (replica: Replica): Promise<void> => {
    while (!isOver && outcomes.length < MAX_LOAD) {
      const started = performance.now();
      outcomes.push(await replica.send(at(clients, outcomes.length)));
      slowest = Math.max(slowest, performance.now() - started);
      await sleep(PAUSE);
    }
  };
  const load = replicas.flatMap((replica) => Array.from({ length: CONCURRENCY }, () => sendLoad(replica)));
  await sleep(LOAD_TIME);
  const before = outcomes.length;
  await halfway();
  await sleep(LOAD_TIME);
  isOver = true;
  await Promise.all(load);
  expectNoFailure(outcomes);
  const limited = outcomes.filter(({ outcome }) => outcome === "limited").length;
  expectThat(
    before > 0 && outcomes.length > before,
    `the server ${what} after ${before} of ${outcomes.length} requests: ${limited} are limited, 0 fail, ` +
      `and the slowest takes ${Math.round(slowest)} ms`,
  );
}

function expectNoFailure(outcomes: readonly Outcome[]): void {
  const failures = outcomes.map(({ outcome }) => outcome).filter((outcome) => outcome.startsWith("failed"));
  if (failures.length > 0) {
    throw new Error(`${failures.length} requests failed: ${[...new Set(failures)].slice(0, 5).join("; ")}`);
  }
}

/** Returns an element; the index wraps around. */
function at<T>(all: readonly T[], index: number): T {
  const found = all[index % all.length];
  if (found === undefined) {
    throw new Error("nothing to choose from");
  }
  return found;
}
