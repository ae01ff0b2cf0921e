import type { Case } from "./cases.js";
import { compareReadings, type Relation } from "./compare.js";
import {
  INCOMPLETE_AT_OTHERS,
  type Known,
  knownKind,
  NOT_SEEN_BY_OTHERS,
  REJECTED_BY_OTHERS,
} from "./known.js";
import { END_REQUEST, type Reading } from "./reading.js";

/** Collects the outcomes of all cases. */
export interface Report {
  /** Adds a case: the readings of all servers, ours first. */
  add(index: number, sent: Case, readings: readonly Reading[]): void;
  /** Prints what we accept and others reject, and with `withClasses` the outcomes of each mutation. */
  print(withClasses: boolean): void;
}

/** Cases of a known kind. */
interface KnownCases {
  readonly known: Known;
  readonly peer: string;
  count: number;
  readonly example: string;
}

type Outcome = "accepted" | "rejected" | "waits";

/** Creates an empty report. */
export function createReport(servers: readonly string[]): Report {
  const known = new Map<string, KnownCases>();
  /** By label and server. */
  const outcomes = new Map<string, Map<Outcome, number>[]>();

  function add(index: number, { labels, bytes }: Case, readings: readonly Reading[]): void {
    const [ours] = readings;
    const label = labels.join("; ") || "plain";
    if (labels.length <= 1) {
      const counts = outcomes.get(label) ?? servers.map(() => new Map<Outcome, number>());
      outcomes.set(label, counts);
      for (const [at, reading] of readings.entries()) {
        const outcome = outcomeOf(reading);
        counts[at]?.set(outcome, (counts[at]?.get(outcome) ?? 0) + 1);
      }
    }
    for (const [at, reading] of readings.entries()) {
      const peer = servers[at] ?? "";
      const kind = ours && kindOf(compareReadings(ours, reading), peer, bytes);
      if (kind !== undefined) {
        const key = `${kind.name} ${peer}`;
        const cases = known.get(key) ?? {
          known: kind,
          peer,
          count: 0,
          example: `${index}: ${describeBytes(bytes)}`,
        };
        cases.count += 1;
        known.set(key, cases);
      }
    }
  }

  function print(withClasses: boolean): void {
    if (withClasses) {
      console.log(`\nOutcomes in per cent: accepted/rejected/waits for more bytes`);
      console.log(["", ...servers].join("\t"));
      for (const [label, counts] of [...outcomes].sort(([a], [b]) => (a < b ? -1 : 1))) {
        console.log([label, ...counts.map(shares)].join("\t"));
      }
    }
    for (const [title, kinds] of [
      ["Accepted by us, rejected by others", REJECTED_BY_OTHERS],
      ["Accepted by us, not seen by others", NOT_SEEN_BY_OTHERS],
      ["Accepted by us, incomplete at others", INCOMPLETE_AT_OTHERS],
    ] as const) {
      console.log(`\n${title}:`);
      for (const each of [...known.values()].filter((cases) => kinds.includes(cases.known))) {
        console.log(`${each.known.name}: ${each.peer}, ${each.count} times: ${each.known.reason}`);
        console.log(`  case ${each.example}`);
      }
    }
  }

  return { add, print };
}

const KINDS = {
  "peer rejects": REJECTED_BY_OTHERS,
  "peer waits": NOT_SEEN_BY_OTHERS,
  "peer waits for the body": INCOMPLETE_AT_OTHERS,
};

/** Returns the known kind of a request that the peer does not accept. A difference has none. */
export function kindOf(relation: Relation, peer: string, bytes: Buffer): Known | undefined {
  if (relation.kind === "same" || relation.kind === "difference") {
    return undefined;
  }
  return knownKind(KINDS[relation.kind], peer, relation.request, bytes);
}

function outcomeOf({ end, requests }: Reading): Outcome {
  if (end === "rejected" || requests.includes("rejected")) {
    return "rejected";
  }
  const last = requests.at(-1);
  return end === "closed" || (last !== undefined && last !== "rejected" && last.isComplete)
    ? "accepted"
    : "waits";
}

function shares(counts: ReadonlyMap<Outcome, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = (outcome: Outcome) => Math.round(((counts.get(outcome) ?? 0) / total) * 100);
  return `${share("accepted")}/${share("rejected")}/${share("waits")}`;
}

/** Escapes bytes for display, shortened, without the final request. */
export function describeBytes(bytes: Buffer): string {
  const text = escaped(bytes.subarray(0, bytes.length - END_REQUEST.length));
  return text.length > 1500 ? `${text.slice(0, 700)}… (${bytes.length} bytes) …${text.slice(-700)}` : text;
}

function escaped(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1")).replaceAll(
    /[\x7f-\xff]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}

/** Prints one case in full. */
export function printExchange(bytes: Buffer, pieces: readonly Buffer[], readings: readonly Reading[]): void {
  console.log(escaped(bytes));
  console.log(`pieces: ${pieces.map((piece) => piece.length).join(" ")}`);
  for (const { requests, end, status } of readings) {
    const shown = requests.map((request) =>
      request === "rejected" ? request : { ...request, body: Buffer.concat(request.body).toString("latin1") },
    );
    console.log(JSON.stringify({ end, status, requests: shown }, undefined, 1));
  }
}
