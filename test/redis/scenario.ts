import { setTimeout as sleep } from "node:timers/promises";
import type { RedisServer } from "./redis-server.js";
import type { Answer, Replica } from "./replica.js";

/** Callers that a scenario has. */
export const CALLERS = 40;

/** Requests of the load that goes on while the server fails: at the most, and under way at once for each replica. */
const MAX_LOAD = 40_000;
const CONCURRENCY = 8;

/** Milliseconds between two requests of one after the other. */
const PAUSE = 2;

/** How long the load goes on before and after the server fails, in milliseconds: longer than they wait for a silent server. */
const LOAD_TIME = 1_000;

/** How long replicas have to find a server again, in milliseconds. */
const PATIENCE = 15_000;

/** Things that must hold; the first that does not ends the run. */
function expectThat(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`not so: ${what}`);
  }
  console.log(`  ${what}`);
}

/**
 * Holds replicas to what they promise, from before there is a server until after it was killed and came back.
 *
 * @param limit requests that a caller has in a window, which must be longer than the run
 * @param startServer starts the server that the replicas share
 */
export async function runScenario(
  replicas: readonly Replica[],
  limit: number,
  startServer: () => Promise<RedisServer>,
): Promise<void> {
  let nextCaller = 0;
  const newCaller = (): number => {
    if (nextCaller >= CALLERS) {
      throw new Error("the scenario has no more callers");
    }
    return nextCaller++;
  };
  const askAll = (caller: number): Promise<Answer[]> =>
    Promise.all(Array.from({ length: 3 * limit }, (_, index) => at(replicas, index).ask(caller)));

  /** Three times the limit at once, over all replicas. */
  async function burst(allowed: number, how: string): Promise<void> {
    const answers = await askAll(newCaller());
    expectNoFailure(answers);
    const passed = answers.filter(({ outcome }) => outcome === "allowed").length;
    expectThat(passed === allowed, `${how}: ${passed} of ${answers.length} requests at once pass`);
  }

  async function untilShared(): Promise<void> {
    const started = performance.now();
    const [one, other] = [at(replicas, 0), at(replicas, 1)];
    const caller = newCaller();
    for (let isShared = false; !isShared; ) {
      const answers = [await one.ask(caller), await other.ask(caller), await one.ask(caller)];
      expectNoFailure(answers);
      const [first = 0, second, third] = answers.map(({ remaining }) => remaining);
      isShared = second === first - 1 && third === first - 2;
      if (!isShared) {
        if (performance.now() - started > PATIENCE) {
          throw new Error("the replicas do not share a limit");
        }
        await sleep(200);
      }
    }
    console.log(`  the limit is shared after ${Math.round(performance.now() - started)} ms`);
  }

  const perReplica = `each of ${replicas.length} replicas by itself, without a server`;
  await burst(replicas.length * limit, perReplica);
  const first = await startServer();
  await untilShared();
  await burst(limit, "all replicas together");
  await burst(limit, "once more, for another caller");

  const tenCallers = (): number[] => Array.from({ length: 10 }, newCaller);
  await underLoad(replicas, tenCallers(), "hangs", async () => first.pause());
  first.resume();
  await untilShared();
  await underLoad(replicas, tenCallers(), "is killed", () => first.kill());
  await burst(replicas.length * limit, perReplica);

  const second = await startServer();
  try {
    await untilShared();
    await burst(limit, "all replicas together again");
  } finally {
    await second.kill();
  }
}

/** Keeps asking every replica, and does something halfway. No request may fail. */
async function underLoad(
  replicas: readonly Replica[],
  callers: readonly number[],
  what: string,
  halfway: () => Promise<void>,
): Promise<void> {
  const answers: Answer[] = [];
  let slowest = 0;
  let isOver = false;
  const askOn = async (replica: Replica): Promise<void> => {
    while (!isOver && answers.length < MAX_LOAD) {
      const started = performance.now();
      answers.push(await replica.ask(at(callers, answers.length)));
      slowest = Math.max(slowest, performance.now() - started);
      await sleep(PAUSE);
    }
  };
  const load = replicas.flatMap((replica) => Array.from({ length: CONCURRENCY }, () => askOn(replica)));
  await sleep(LOAD_TIME);
  const before = answers.length;
  await halfway();
  await sleep(LOAD_TIME);
  isOver = true;
  await Promise.all(load);
  expectNoFailure(answers);
  const limited = answers.filter(({ outcome }) => outcome === "limited").length;
  expectThat(
    before > 0 && answers.length > before,
    `the server ${what} after ${before} of ${answers.length} requests: ${limited} are limited, 0 fail, ` +
      `and the slowest takes ${Math.round(slowest)} ms`,
  );
}

function expectNoFailure(answers: readonly Answer[]): void {
  const failures = answers.map(({ outcome }) => outcome).filter((outcome) => outcome.startsWith("failed"));
  if (failures.length > 0) {
    throw new Error(`${failures.length} requests failed: ${[...new Set(failures)].slice(0, 5).join("; ")}`);
  }
}

/** The element at a place, over and over again. */
function at<T>(all: readonly T[], index: number): T {
  const found = all[index % all.length];
  if (found === undefined) {
    throw new Error("nothing to choose from");
  }
  return found;
}
