import { median } from "../lib/statistics.js";
import type { BenchCase, Target } from "./cases.js";
import type { ContestantRun, ProcessRun, Round } from "./run-case.js";

/** A figure: the median of all rounds, and the lowest and highest median of a process. */
export interface Figure {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The result of a server. */
export interface Summary {
  readonly name: string;
  readonly requestsPerSecond: Figure;
  /** Processor time per request in microseconds. */
  readonly processorTime: Figure;
  /** Milliseconds. */
  readonly p50: Figure;
  readonly p99: Figure;
  /** Bytes per request and per response, with headers. */
  readonly requestBytes: Figure;
  readonly responseBytes: Figure;
  /** The share of the time that the server, and the load program, had a processor. */
  readonly processorShare: Figure;
  readonly loadShare: Figure;
  /** MiB after the last round. */
  readonly residentMemory: Figure;
  /** Milliseconds from process start to readiness. */
  readonly readyAfter: Figure;
}

/** How one of our servers compares with another one. Above 1, ours is better. */
export interface Comparison {
  readonly ours: string;
  readonly peer: string;
  /** Our requests per second divided by the other server's. */
  readonly rate: Figure;
  /** The other server's processor time per request divided by ours, which hardly depends on other load. */
  readonly processorTime: Figure;
  readonly target: Target | undefined;
  /** Whether the target is met. Undefined without a target. */
  readonly met: boolean | undefined;
}

/** The result of a case. */
export interface CaseReport extends Pick<BenchCase, "name" | "title" | "group"> {
  readonly contestants: readonly Summary[];
  readonly comparisons: readonly Comparison[];
}

/** Summarizes a case. The first run is our default, which targets are for. */
export function reportCase(
  { name, title, group }: Pick<BenchCase, "name" | "title" | "group">,
  runs: readonly ContestantRun[],
): CaseReport {
  const peers = runs.filter(({ kind }) => kind !== "ours");
  const comparisons = runs
    .filter(({ kind }) => kind === "ours")
    .flatMap((ours, index) => peers.map((peer) => compare(ours, peer, index === 0)));
  return { name, title, group, contestants: runs.map(summarize), comparisons };
}

function summarize({ name, processes }: ContestantRun): Summary {
  const rounds = (pick: (round: Round) => number) => figure(processes.map((each) => each.rounds.map(pick)));
  const single = (pick: (process: ProcessRun) => number) => figure(processes.map((each) => [pick(each)]));
  return {
    name,
    requestsPerSecond: rounds(({ requestsPerSecond }) => requestsPerSecond),
    processorTime: rounds(({ processorTime }) => processorTime * 1e6),
    p50: rounds(({ p50 }) => p50),
    p99: rounds(({ p99 }) => p99),
    requestBytes: rounds(({ requestBytes }) => requestBytes),
    responseBytes: rounds(({ responseBytes }) => responseBytes),
    processorShare: rounds(({ processorShare }) => processorShare),
    loadShare: rounds(({ loadShare }) => loadShare),
    residentMemory: single(({ residentMemory }) => residentMemory),
    readyAfter: single(({ readyAfter }) => readyAfter),
  };
}

/** Returns the figure for the values of each process. */
function figure(processes: readonly (readonly number[])[]): Figure {
  const medians = processes.map((values) => median(values));
  return { median: median(processes.flat()), lowest: Math.min(...medians), highest: Math.max(...medians) };
}

/** Compares round by round, since a disturbance in one round is likely to affect its neighbor as well. */
function compare(ours: ContestantRun, peer: ContestantRun, isDefault: boolean): Comparison {
  const ratios = (ratioOf: (own: Round, other: Round) => number) =>
    figure(
      ours.processes.map(({ rounds }, process) =>
        rounds.flatMap((own, index) => {
          const other = peer.processes[process]?.rounds[index];
          return other === undefined ? [] : [ratioOf(own, other)];
        }),
      ),
    );
  const rate = ratios((own, other) => own.requestsPerSecond / other.requestsPerSecond);
  const processorTime = ratios((own, other) => other.processorTime / own.processorTime);
  const target = isDefault ? peer.target : undefined;
  const reached = target?.by === "rate" ? rate : processorTime;
  return {
    ours: ours.name,
    peer: peer.name,
    rate,
    processorTime,
    target,
    met: target === undefined ? undefined : reached.median >= target.ratio,
  };
}

/** The conditions of a run, as lines of text. */
export type Conditions = readonly string[];

const GROUPS = [
  ["varied", "Varied requests"],
  ["streams", "Streams: one request is a stream of 1,000 messages"],
  ["tls", "Varied requests through TLS, for the record"],
  ["methods", "Every method in every protocol"],
] as const;

/** Formats all cases in Markdown: varied requests first, and in each group the lowest ratio first. */
export function formatReport(conditions: Conditions, reports: readonly CaseReport[]): string {
  const sections = GROUPS.flatMap(([group, title]) => {
    const cases = reports
      .filter((each) => each.group === group)
      .toSorted((a, b) => lowestOf(a) - lowestOf(b));
    const ratios = cases.some(({ comparisons }) => comparisons.length > 0) ? [formatRatios(cases)] : [];
    return cases.length === 0 ? [] : [`## ${title}`, ...ratios, ...cases.map(formatCase)];
  });
  return `${["# Benchmark results", conditions.map((line) => `- ${line}`).join("\n"), ...sections].join("\n\n")}\n`;
}

/** Returns the lower one of the two ratios. */
function lower({ rate, processorTime }: Comparison): number {
  return Math.min(rate.median, processorTime.median);
}

function lowestOf({ comparisons }: CaseReport): number {
  return Math.min(...comparisons.map(lower));
}

/** Formats the comparisons of several cases, the lowest ratio first. */
function formatRatios(cases: readonly CaseReport[]): string {
  const rows = cases
    .flatMap(({ name, comparisons }) => comparisons.map((comparison) => ({ name, comparison })))
    .toSorted((a, b) => lower(a.comparison) - lower(b.comparison))
    .map(({ name, comparison: { ours, peer, rate, processorTime, target, met } }) => [
      `\`${name}\``,
      ours,
      peer,
      withSpread(rate, (value) => value.toFixed(2)),
      withSpread(processorTime, (value) => value.toFixed(2)),
      target === undefined ? "" : `${target.ratio} by ${target.by}: ${met ? "met" : "**missed**"}`,
    ]);
  return table(
    ["Case", "Service", "Compared with", "Ratio of rates", "Ratio of CPU time", "Target"],
    "lllrrl",
    rows,
  );
}

/** Formats a case: a row per server. */
export function formatCase({ name, title, contestants }: CaseReport): string {
  const rows = contestants.map((each) => [
    each.name,
    withSpread(each.requestsPerSecond, whole),
    withSpread(each.processorTime, (value) => value.toFixed(1)),
    each.p50.median.toFixed(2),
    each.p99.median.toFixed(2),
    percent(each.processorShare.median),
    percent(each.loadShare.median),
    withSpread(each.residentMemory, whole),
    whole(each.readyAfter.median),
  ]);
  const columns = [
    "Server",
    "Requests/s",
    "CPU µs",
    "p50 ms",
    "p99 ms",
    "CPU",
    "Load's CPU",
    "RSS MiB",
    "Ready ms",
  ];
  return `### \`${name}\`: ${title}\n\n${table(columns, "lrrrrrrrr", rows)}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Formats a figure: `10 (8–11)`, without the spread if it is not visible. */
function withSpread({ median, lowest, highest }: Figure, format: (value: number) => string): string {
  const [from, to] = [format(lowest), format(highest)];
  return from === to ? format(median) : `${format(median)} (${from}–${to})`;
}

/** Formats a table. `alignment` has `l` or `r` per column. */
export function table(
  columns: readonly string[],
  alignment: string,
  rows: readonly (readonly string[])[],
): string {
  const rule = [...alignment].map((side) => (side === "r" ? "---:" : "---"));
  return [columns, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
