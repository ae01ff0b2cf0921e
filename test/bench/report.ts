import type { ContestantRun, Round } from "./run-case.js";
import { median } from "./statistics.js";

/** The result of a server: medians of its rounds. */
export interface Summary {
  readonly name: string;
  readonly requestsPerSecond: number;
  /** The requests per second of each round. */
  readonly rounds: readonly number[];
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** The share of the time that the server had the processor. */
  readonly processorShare: number;
  /** Processor time per request in microseconds. */
  readonly processorTime: number;
  /** MiB at the end. */
  readonly residentMemory: number;
}

/** How our server compares with another one. */
export interface Comparison {
  readonly peer: string;
  /** Our requests per second divided by the other server's: the median of the rounds' ratios. */
  readonly ratio: number;
  /** The ratio by processor time per request, which hardly depends on other load. */
  readonly byProcessorTime: number;
  readonly target: number | undefined;
  /** Whether the target is met. Undefined without a target. */
  readonly met: boolean | undefined;
}

/** The result of a case. */
export interface CaseReport {
  readonly name: string;
  readonly title: string;
  readonly contestants: readonly Summary[];
  readonly comparisons: readonly Comparison[];
}

/** Summarizes a case. The first run is ours. */
export function reportCase(name: string, title: string, runs: readonly ContestantRun[]): CaseReport {
  const [ours, ...peers] = runs;
  return {
    name,
    title,
    contestants: runs.map(summarize),
    comparisons: ours === undefined ? [] : peers.map((peer) => compare(ours, peer)),
  };
}

function summarize({ name, rounds, residentMemory }: ContestantRun): Summary {
  const medianOf = (pick: (round: Round) => number) => median(rounds.map(pick));
  return {
    name,
    requestsPerSecond: medianOf(({ requestsPerSecond }) => requestsPerSecond),
    rounds: rounds.map(({ requestsPerSecond }) => requestsPerSecond),
    p50: medianOf(({ p50 }) => p50),
    p99: medianOf(({ p99 }) => p99),
    processorShare: medianOf(({ processorShare }) => processorShare),
    processorTime: medianOf(({ processorTime }) => processorTime) * 1e6,
    residentMemory,
  };
}

/** Compares round by round, since a disturbance in one round is likely to affect its neighbor as well. */
function compare(ours: ContestantRun, { name, target, rounds }: ContestantRun): Comparison {
  const ratioOf = (pick: (round: Round) => number) =>
    median(
      rounds.flatMap((round, index) => {
        const own = ours.rounds[index];
        return own === undefined ? [] : [pick(own) / pick(round)];
      }),
    );
  const ratio = ratioOf(({ requestsPerSecond }) => requestsPerSecond);
  return {
    peer: name,
    ratio,
    byProcessorTime: ratioOf(({ processorTime }) => 1 / processorTime),
    target,
    met: target === undefined ? undefined : ratio >= target,
  };
}

const COLUMNS = ["", "requests/s", "(from", "to)", "p50 ms", "p99 ms", "CPU", "CPU µs/request", "RSS MiB"];

/** Formats a case: a line per server and per comparison. */
export function printCase({ name, title, contestants, comparisons }: CaseReport): string {
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const rows = contestants.map((each) => [
    each.name,
    whole(each.requestsPerSecond),
    whole(Math.min(...each.rounds)),
    whole(Math.max(...each.rounds)),
    each.p50.toFixed(2),
    each.p99.toFixed(2),
    `${Math.round(each.processorShare * 100)} %`,
    each.processorTime.toFixed(1),
    whole(each.residentMemory),
  ]);
  const table = [COLUMNS, ...rows].map((cells) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(14) : cell.padStart(width(index)))).join(" "),
  );
  const ratios = comparisons.map(({ peer, ratio, byProcessorTime, target, met }) => {
    const aim = target === undefined ? "no target" : `target ${target}: ${met ? "met" : "MISSED"}`;
    const times = `${ratio.toFixed(2)} times ${peer}`;
    return `${`ours: ${times}`.padEnd(32)} ${aim.padEnd(22)} by CPU time: ${byProcessorTime.toFixed(2)}`;
  });
  return ["", `${name}: ${title}`, ...table, ...ratios].join("\n");
}

function width(column: number): number {
  return Math.max(COLUMNS[column]?.length ?? 0, 8);
}
