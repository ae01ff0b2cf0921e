import { median } from "connect-transcoding-testing/statistics.js";
import type { BenchCase } from "./cases.js";
import type { ContestantRun, ProcessRun, Round } from "./run-case.js";

type Values = readonly (readonly number[])[];

const COLUMNS = [
  ...["Server", "Requests/s", "CPU µs", "p50 ms", "p99 ms", "CPU", "Load's CPU", "RSS MiB", "Ready ms"],
  ...["Ratio of rates", "Ratio of CPU time"],
];

/**
 * Formats a case in Markdown: a row per server, with medians, and how the first one, which is ours, compares with each other one. In
 * parentheses, the lowest and the highest median of a process.
 */
export function formatCase(
  { name, title }: Pick<BenchCase, "name" | "title">,
  runs: readonly ContestantRun[],
): string {
  const [ours] = runs;
  const rows = runs.map((run) => [
    ...summarize(run),
    ...(ours === undefined || run === ours ? ["", ""] : compare(ours, run)),
  ]);
  const rule = COLUMNS.map((_, index) => (index === 0 ? "---" : "---:"));
  const table = [COLUMNS, rule, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `### \`${name}\`: ${title}\n\n${table}`;
}

function summarize({ name, processes }: ContestantRun): string[] {
  const rounds = (pick: (round: Round) => number) => processes.map((each) => each.rounds.map(pick));
  const single = (pick: (process: ProcessRun) => number) => processes.map((each) => [pick(each)]);
  const middle = (values: Values) => median(values.flat());
  return [
    name,
    withSpread(rounds(({ requestsPerSecond }) => requestsPerSecond)),
    withSpread(
      rounds(({ processorTime }) => processorTime * 1e6),
      1,
    ),
    middle(rounds(({ p50 }) => p50)).toFixed(2),
    middle(rounds(({ p99 }) => p99)).toFixed(2),
    percent(middle(rounds(({ processorShare }) => processorShare))),
    percent(middle(rounds(({ loadShare }) => loadShare))),
    withSpread(single(({ residentMemory }) => residentMemory)),
    decimal(middle(single(({ readyAfter }) => readyAfter)), 0),
  ];
}

/** Compares round by round, since a disturbance in one round is likely to affect its neighbor as well. Above 1, ours is better. */
function compare(ours: ContestantRun, { processes }: ContestantRun): string[] {
  const ratios = (ratioOf: (own: Round, other: Round) => number): Values =>
    ours.processes.map(({ rounds }, process) =>
      rounds.flatMap((own, index) => {
        const other = processes[process]?.rounds[index];
        return other === undefined ? [] : [ratioOf(own, other)];
      }),
    );
  const rate = ratios((own, other) => own.requestsPerSecond / other.requestsPerSecond);
  // Other load on the machine hardly affects this one.
  const time = ratios((own, other) => other.processorTime / own.processorTime);
  return [withSpread(rate, 2), withSpread(time, 2)];
}

function decimal(value: number, digits: number): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString("en", options);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Formats the median and its spread: `10 (8–11)`, without the spread if it is not visible. */
function withSpread(processes: Values, digits = 0): string {
  const medians = processes.map((values) => median(values));
  const [middle, from, to] = [median(processes.flat()), Math.min(...medians), Math.max(...medians)].map(
    (value) => decimal(value, digits),
  );
  return from === to ? String(middle) : `${middle} (${from}–${to})`;
}
