import { describe, expect, test, vi } from "vitest";
import { type Failure, fail, ok, type Result } from "../../../src/result.js";
import {
  createSupervisor,
  type SupervisorOptions,
  type WorkerProcess,
} from "../../../src/service/process/supervisor.js";

/** A worker that does what a test says. */
interface FakeWorker extends WorkerProcess {
  readonly stop: () => void;
  isStopped: boolean;
  isAlive: boolean;
  readonly isReplacement: boolean;
  ready(): Promise<void>;
  refuse(problem: string): Promise<void>;
  die(how?: string): Promise<void>;
}

const URL = "http://127.0.0.1:1";

/** A supervisor in a world without processes, whose clock a test turns. */
function world(workers: number, options: Partial<SupervisorOptions> = {}) {
  const forked: FakeWorker[] = [];
  const timers = new Map<object, { readonly at: number; readonly run: () => void }>();
  const lines: string[] = [];
  let time = 0;
  const supervisor = createSupervisor(
    { workers, startTimeout: 60_000, stopTimeout: 12_000, ...options },
    {
      fork: (isReplacement) => {
        const worker = fakeWorker(`worker ${forked.length + 1}`, isReplacement);
        forked.push(worker);
        return worker;
      },
      schedule: (run, delay) => {
        const key = {};
        timers.set(key, { at: time + delay, run });
        return () => timers.delete(key);
      },
      now: () => time,
      log: (level, message) => lines.push(`${level}: ${message}`),
    },
  );

  async function pass(milliseconds: number): Promise<void> {
    time += milliseconds;
    for (const [key, { at, run }] of timers) {
      if (at <= time) {
        timers.delete(key);
        run();
      }
    }
    await settle();
  }

  /** Milliseconds until the next timer is due. */
  const untilNext = (): number => Math.min(...[...timers.values()].map(({ at }) => at)) - time;
  const alive = (): string[] => forked.filter(({ isAlive }) => isAlive).map(({ name }) => name);
  const worker = (number: number): FakeWorker => {
    const found = forked[number - 1];
    if (found === undefined) {
      throw new Error(`no worker ${number} was started`);
    }
    return found;
  };

  async function startAll(): Promise<void> {
    const started = supervisor.start();
    for (const one of forked) {
      await one.ready();
    }
    expect(await started).toEqual(ok(URL));
    await settle();
    expect(lines.splice(0)).toEqual(forked.map(({ name }) => `info: ${name} takes requests`));
  }

  return { supervisor, forked, worker, lines, pass, untilNext, alive, startAll };
}

function fakeWorker(name: string, isReplacement: boolean): FakeWorker {
  let settleStarted: (started: Result<string, Failure>) => void = () => undefined;
  let settleGone: (how: string) => void = () => undefined;
  const worker: FakeWorker = {
    name,
    started: new Promise((resolve) => {
      settleStarted = resolve;
    }),
    gone: new Promise((resolve) => {
      settleGone = resolve;
    }),
    isStopped: false,
    isAlive: true,
    isReplacement,
    stop: () => {
      worker.isStopped = true;
    },
    kill: () => void worker.die("SIGKILL"),
    ready: () => {
      settleStarted(ok(URL));
      return settle();
    },
    refuse: (problem) => {
      settleStarted(fail("CANNOT_START", problem));
      return worker.die("exit code 1");
    },
    die: (how = "SIGSEGV") => {
      worker.isAlive = false;
      settleStarted(fail("ENDED", how));
      settleGone(how);
      return settle();
    },
  };
  return worker;
}

/** Lets everything go on that waits for nothing but promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("starting", () => {
  test("is over when the last worker takes requests", async () => {
    const { supervisor, worker, forked } = world(3);
    const over = vi.fn();
    const started = supervisor.start().then(over);
    expect(forked).toHaveLength(3);
    await worker(2).ready();
    await worker(1).ready();
    expect(over).not.toHaveBeenCalled();
    await worker(3).ready();
    await started;
    expect(over).toHaveBeenCalledWith(ok(URL));
  });

  test("fails with the first worker that cannot start, and leaves none", async () => {
    const { supervisor, worker, alive, forked, pass } = world(3);
    const started = supervisor.start();
    await worker(1).ready();
    await worker(2).refuse("the port is taken");
    expect(await started).toEqual(fail("CANNOT_START", "the port is taken"));
    expect(alive()).toEqual([]);
    await pass(100_000);
    expect(forked).toHaveLength(3);
  });

  test("fails with a worker that says nothing until its time is up", async () => {
    const { supervisor, worker, alive, pass } = world(2);
    const started = supervisor.start();
    await worker(1).ready();
    await pass(59_999);
    expect(alive()).toEqual(["worker 1", "worker 2"]);
    await pass(1);
    expect(await started).toEqual(fail("ENDED", "SIGKILL"));
    expect(alive()).toEqual([]);
  });

  test("is over when it is told to stop meanwhile", async () => {
    const { supervisor, worker } = world(2);
    const started = supervisor.start();
    await worker(1).ready();
    const stopped = supervisor.stop();
    await worker(1).die();
    await worker(2).die();
    expect(await stopped).toBe(true);
    expect(await started).toMatchObject({ ok: false, failure: { reason: "STOPPED" } });
  });
});

describe("a worker that dies", () => {
  test("is followed by another", async () => {
    const { worker, alive, startAll, pass, lines } = world(2);
    await startAll();
    await worker(1).die();
    expect(alive()).toEqual(["worker 2"]);
    expect(lines).toEqual(["error: worker 1 ended: SIGSEGV; another starts in 100 ms"]);
    await pass(99);
    expect(alive()).toEqual(["worker 2"]);
    await pass(1);
    expect(alive()).toEqual(["worker 2", "worker 3"]);
    await worker(3).ready();
    expect(lines.at(-1)).toBe("info: worker 3 takes requests");
  });

  test("is followed later and later when those after it die soon, and at once after one that lived", async () => {
    const { forked, startAll, pass, untilNext } = world(1);
    await startAll();
    const delays: number[] = [];
    for (let deaths = 0; deaths < 11; deaths++) {
      await forked.at(-1)?.die();
      delays.push(untilNext());
      await pass(untilNext());
    }
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000]);
    await forked.at(-1)?.ready();
    await pass(10_000);
    await forked.at(-1)?.die();
    expect(untilNext()).toBe(100);
  });

  test("is missed in its own place alone", async () => {
    const { worker, startAll, pass, untilNext } = world(2);
    await startAll();
    await worker(1).die();
    await pass(100);
    await worker(3).die();
    expect(untilNext()).toBe(200);
    await pass(200);
    await worker(2).die();
    expect(untilNext()).toBe(100);
  });

  test("is followed by one whose reason not to start is told", async () => {
    const { worker, startAll, pass, lines } = world(1);
    await startAll();
    await worker(1).die();
    await pass(100);
    await worker(2).refuse("API_KEYS_FILE: line 1 is wrong");
    expect(lines.slice(1)).toEqual([
      "error: worker 2 cannot start: API_KEYS_FILE: line 1 is wrong",
      "error: worker 2 ended: exit code 1; another starts in 200 ms",
    ]);
  });

  test("is not followed by another once it stops", async () => {
    const { supervisor, worker, forked, startAll, pass } = world(2);
    await startAll();
    await worker(1).die();
    const stopped = supervisor.stop();
    await worker(2).die("exit code 0");
    expect(await stopped).toBe(true);
    await pass(100_000);
    expect(forked).toHaveLength(2);
  });
});

describe("replacing workers", () => {
  test("starts the next before it stops the last, one by one", async () => {
    const { supervisor, worker, alive, startAll } = world(2);
    await startAll();
    const rolled = supervisor.roll();
    expect(alive()).toEqual(["worker 1", "worker 2", "worker 3"]);
    expect(worker(1).isStopped).toBe(false);
    await worker(3).ready();
    expect(worker(1).isStopped).toBe(true);
    expect(alive()).toHaveLength(3);
    await worker(1).die("exit code 0");
    expect(alive()).toEqual(["worker 2", "worker 3", "worker 4"]);
    expect(worker(2).isStopped).toBe(false);
    await worker(4).ready();
    await worker(2).die("exit code 0");
    await rolled;
    expect(alive()).toEqual(["worker 3", "worker 4"]);
  });

  test("looks after those that have come", async () => {
    const { supervisor, worker, alive, startAll, pass } = world(1);
    await startAll();
    const rolled = supervisor.roll();
    await worker(2).ready();
    await worker(1).die("exit code 0");
    await rolled;
    await worker(2).die();
    await pass(100);
    expect(alive()).toEqual(["worker 3"]);
  });

  test("does it once more when told meanwhile, however often", async () => {
    const { supervisor, forked, worker, startAll } = world(1);
    await startAll();
    const rolled = supervisor.roll();
    void supervisor.roll();
    void supervisor.roll();
    expect(forked).toHaveLength(2);
    await worker(2).ready();
    await worker(1).die("exit code 0");
    expect(forked).toHaveLength(3);
    await worker(3).ready();
    await worker(2).die("exit code 0");
    await rolled;
    expect(forked).toHaveLength(3);
  });

  test("waits until all have started", async () => {
    const { supervisor, forked, worker } = world(1);
    const started = supervisor.start();
    void supervisor.roll();
    expect(forked).toHaveLength(1);
    await worker(1).ready();
    await started;
    await settle();
    expect(forked).toHaveLength(2);
  });

  test("leaves all as they are when another cannot start", async () => {
    const { supervisor, worker, alive, lines, startAll } = world(2);
    await startAll();
    const rolled = supervisor.roll();
    await worker(3).refuse("x.mmdb is broken");
    await rolled;
    expect(alive()).toEqual(["worker 1", "worker 2"]);
    expect(worker(1).isStopped).toBe(false);
    expect(lines).toEqual(["error: the workers stay, for another cannot start: x.mmdb is broken"]);
  });

  test("tells those that take a place that somebody serves there, and no others", async () => {
    const { supervisor, forked, worker, startAll, pass } = world(1);
    await startAll();
    const rolled = supervisor.roll();
    await worker(2).ready();
    await worker(1).die("exit code 0");
    await rolled;
    await worker(2).die();
    await pass(100);
    expect(forked.map(({ isReplacement }) => isReplacement)).toEqual([false, true, false]);
  });

  test("gives a worker that will not go its time, and kills it", async () => {
    const { supervisor, worker, alive, lines, startAll, pass } = world(1);
    await startAll();
    const rolled = supervisor.roll();
    await worker(2).ready();
    await pass(11_999);
    expect(alive()).toEqual(["worker 1", "worker 2"]);
    await pass(1);
    await rolled;
    expect(alive()).toEqual(["worker 2"]);
    expect(lines.at(-1)).toBe("error: worker 1 did not stop in time: it is killed");
  });

  test("fills the place of one that has died, and starts no other for it", async () => {
    const { supervisor, worker, alive, forked, startAll, pass } = world(1);
    await startAll();
    await worker(1).die();
    const rolled = supervisor.roll();
    await worker(2).ready();
    await rolled;
    await pass(100_000);
    expect(alive()).toEqual(["worker 2"]);
    expect(forked).toHaveLength(2);
  });

  test("ends when it is told to stop, with the one that was starting", async () => {
    const { supervisor, worker, alive, forked, startAll } = world(2);
    await startAll();
    void supervisor.roll();
    const stopped = supervisor.stop();
    expect([1, 2, 3].map((number) => worker(number).isStopped)).toEqual([true, true, true]);
    for (const one of forked) {
      await one.die("exit code 0");
    }
    expect(await stopped).toBe(true);
    expect(alive()).toEqual([]);
    expect(forked).toHaveLength(3);
  });
});

describe("stopping", () => {
  test("tells all at once, and is over when the last is gone", async () => {
    const { supervisor, worker, startAll } = world(2);
    await startAll();
    const over = vi.fn();
    const stopped = supervisor.stop().then(over);
    expect([worker(1).isStopped, worker(2).isStopped]).toEqual([true, true]);
    await worker(1).die("exit code 0");
    expect(over).not.toHaveBeenCalled();
    await worker(2).die("exit code 0");
    await stopped;
    expect(over).toHaveBeenCalledWith(true);
  });

  test("kills who is still there when time is up, and says so", async () => {
    const { supervisor, worker, alive, startAll, pass } = world(2);
    await startAll();
    const stopped = supervisor.stop();
    await worker(1).die("exit code 0");
    await pass(12_000);
    expect(await stopped).toBe(false);
    expect(alive()).toEqual([]);
  });

  test("can be cut short", async () => {
    const { supervisor, alive, startAll, forked, pass } = world(3);
    await startAll();
    void supervisor.stop();
    supervisor.kill();
    expect(alive()).toEqual([]);
    await pass(100_000);
    expect(forked).toHaveLength(3);
  });
});
