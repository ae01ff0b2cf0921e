import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Random, randomAt } from "./random.js";

/** The cases of a run: `count` cases of a seed, starting at index `from`. */
export interface CaseOptions {
  readonly suite: string;
  readonly count: number;
  readonly from: number;
  readonly seed: number;
}

/** Reads `--count`, `--from` and `--seed`. Throws an Error if one of them is not an integer. */
export function readCaseOptions(suite: string, defaultCount = 1_000_000): CaseOptions {
  const text = (value: number) => ({ type: "string", default: String(value) }) as const;
  const { values } = parseArgs({
    options: {
      count: text(defaultCount),
      from: text(0),
      seed: text(Math.floor(Math.random() * 2 ** 32)),
    },
  });
  const [count, from, seed] = [Number(values.count), Number(values.from), Number(values.seed)];
  if (![count, from, seed].every(Number.isSafeInteger)) {
    throw new Error("--count, --from and --seed must be integers");
  }
  console.log(`seed ${seed}, ${count} cases`);
  return { suite, count, from, seed };
}

export interface Case {
  readonly index: number;
  readonly random: Random;
  /** Whether it is the only case of the run, whose details are printed. */
  readonly isAlone: boolean;
  /** Whether it runs again, since it has had a problem. */
  readonly isAgain: boolean;
  /** Counts an outcome. The end of the run prints the numbers of each group. */
  count(group: string, outcome: string): void;
}

export interface CaseProgram {
  /** Runs a case. Returns what is wrong. What it throws is wrong, too. */
  readonly run: (each: Case) => readonly string[] | Promise<readonly string[]>;
  /** Concurrent cases. Default: 1. */
  readonly workers?: number;
  /** Concurrent cases when those with problems run again: only problems that come again fail the run. Default: 0, at once. */
  readonly workersAgain?: number;
  /** How much memory may grow over the last three quarters of a run, in MiB. */
  readonly maxGrowth?: number;
  /** Called after the last case. Returns what is wrong, and prints what it has to report. */
  readonly finish?: () => readonly string[] | Promise<readonly string[]>;
}

/** The run ends after this many cases with problems. */
const MAX_FAILURES = 10;
/** The number of cases from which growth counts. */
const MIN_CASES = 1_000;
/** So many cases with problems run again before others run. */
const MAX_DOUBTFUL = 40;

/** Runs cases, reports their progress and problems, and sets the exit code. A problem comes with the command that repeats its case. */
export async function runCases(options: CaseOptions, program: CaseProgram): Promise<void> {
  const { suite, count, from, seed } = options;
  const { workers = 1, workersAgain = 0, maxGrowth } = program;
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
  const progress = Math.max(Math.floor(count / 10), 1000);
  const outcomes = new Map<string, Map<string, number>>();
  const running = new Set<number>();
  const doubtful: number[] = [];
  let slowest = { milliseconds: 0, index: from };
  let failures = 0;
  let early = 0;
  let next = from;
  let done = 0;
  const fail = (problem: string): void => {
    failures++;
    console.error(`FAILED ${problem}`);
  };
  const commandOf = (index: number) => `npm run check -- ${suite} --seed ${seed} --from ${index} --count 1`;
  const onUncaught = (error: unknown): void => {
    console.error("FAILED uncaught", error, ...[...running].map((index) => `\n  ${commandOf(index)}`));
    process.exit(1);
  };
  process.on("uncaughtException", onUncaught);

  async function runOne(index: number, isAgain: boolean): Promise<void> {
    const started = performance.now();
    running.add(index);
    const problems = await Promise.resolve({
      index,
      random: randomAt(seed, index),
      isAlone: count === 1,
      isAgain,
    })
      .then((each) => program.run({ ...each, count: countOutcome }))
      .catch((thrown: unknown) => [`threw ${thrown instanceof Error ? thrown.stack : String(thrown)}`]);
    running.delete(index);
    const milliseconds = performance.now() - started;
    slowest = milliseconds > slowest.milliseconds ? { milliseconds, index } : slowest;
    if (problems.length > 0 && workersAgain > 0 && !isAgain) {
      doubtful.push(index);
    } else if (problems.length > 0) {
      fail([`case ${index}: ${problems.join("\n  ")}`, commandOf(index)].join("\n  "));
    }
  }

  function countOutcome(group: string, outcome: string): void {
    const counts = outcomes.get(group) ?? new Map<string, number>();
    outcomes.set(group, counts.set(outcome, (counts.get(outcome) ?? 0) + 1));
  }

  async function runNext(): Promise<void> {
    await runOne(next++, false);
    done++;
    if (maxGrowth !== undefined && done === Math.floor(count / 4)) {
      early = await usedMemory();
    }
    if (done % progress === 0) {
      console.log(`${done} cases after ${seconds()} s`);
    }
  }

  while (next < from + count && failures < MAX_FAILURES) {
    const hasMore = () => next < from + count && failures < MAX_FAILURES && doubtful.length < MAX_DOUBTFUL;
    await inParallel(workers, hasMore, runNext);
    if (doubtful.length > 0) {
      console.log(`${doubtful.length} cases run again`);
    }
    await inParallel(
      workersAgain,
      () => doubtful.length > 0 && failures < MAX_FAILURES,
      () => runOne(doubtful.shift() ?? from, true),
    );
  }
  if (maxGrowth !== undefined) {
    const growth = (await usedMemory()) - early;
    console.log(`memory has grown by ${growth.toFixed(1)} MiB`);
    if (count >= MIN_CASES && !(growth <= maxGrowth)) {
      fail(`memory has grown by more than ${maxGrowth} MiB`);
    }
  }
  for (const problem of (await program.finish?.()) ?? []) {
    fail(problem);
  }
  for (const [group, counts] of [...outcomes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
    console.log(`${group}: ${sorted.map(([outcome, times]) => `${outcome} ${times}`).join(", ")}`);
  }
  console.log(`the slowest case took ${slowest.milliseconds.toFixed(0)} ms: ${commandOf(slowest.index)}`);
  console.log(`${done} cases in ${seconds()} s, ${failures === 0 ? "no failures" : `${failures} failures`}`);
  process.off("uncaughtException", onUncaught);
  process.exitCode = failures === 0 ? 0 : 1;
}

/** Runs a function again and again, at most `workers` times at once, while there is more to do. */
async function inParallel(workers: number, hasMore: () => boolean, run: () => Promise<void>): Promise<void> {
  const work = async (): Promise<void> => {
    while (hasMore()) {
      await run();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

/** Memory in use after a garbage collection, in MiB. */
async function usedMemory(): Promise<number> {
  // Connections that have failed keep a timer of half a second.
  await wait(1000);
  for (let times = 0; times < 4; times++) {
    globalThis.gc?.();
    await wait(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** Runs a function. Returns its result and its processor time in milliseconds, which other processes do not change. */
export function measured<T>(run: () => T): { readonly result: T; readonly milliseconds: number } {
  const start = process.cpuUsage();
  const result = run();
  const { user, system } = process.cpuUsage(start);
  return { result, milliseconds: (user + system) / 1_000 };
}
