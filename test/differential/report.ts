import type { Case } from "./cases.js";
import { compareReadings } from "./compare.js";
import { type KnownRejection, reasonFor } from "./known.js";
import { END_REQUEST, type Reading } from "./reading.js";

/** Collects the outcomes of all cases. */
export interface Report {
  /** Adds a case: the readings of all servers, ours first. */
  add(index: number, sent: Case, readings: readonly Reading[]): void;
  reasonFor: typeof reasonFor;
  /** Escapes bytes for display, shortened, without the final request. */
  describe(bytes: Buffer): string;
  /** Prints one case in full. */
  printExchange(bytes: Buffer, pieces: readonly Buffer[], readings: readonly Reading[]): void;
  /** Prints what we accept and others reject, and with `withClasses` the outcomes of each mutation. */
  print(withClasses: boolean): void;
}

/** The cases that we accept and a peer rejects. */
interface Accepted {
  readonly known: KnownRejection;
  readonly peer: string;
  count: number;
  readonly example: string;
}

type Outcome = "accepted" | "rejected" | "waits";

/** Creates an empty report. */
export function createReport(servers: readonly string[]): Report {
  const accepted = new Map<string, Accepted>();
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
      const known = reasonFor(peer, labels);
      if (
        ours === undefined ||
        known === undefined ||
        compareReadings(ours, reading).kind !== "peer rejects"
      ) {
        continue;
      }
      const key = `${known[1]} ${peer}`;
      const entry = accepted.get(key) ?? { known, peer, count: 0, example: `${index}: ${describe(bytes)}` };
      entry.count += 1;
      accepted.set(key, entry);
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
    console.log("\nAccepted by us, rejected by others:");
    for (const { known, peer, count, example } of accepted.values()) {
      console.log(`${peer}, ${count} times: ${known[1].source}: ${known[2]}\n  case ${example}`);
    }
  }

  return { add, print, reasonFor, describe, printExchange };
}

function outcomeOf({ end, requests, status }: Reading): Outcome {
  if (end === "rejected") {
    return "rejected";
  }
  return end === "closed" || status === 299 || requests.at(-1)?.isComplete === true ? "accepted" : "waits";
}

function shares(counts: ReadonlyMap<Outcome, number>): string {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = (outcome: Outcome) => Math.round(((counts.get(outcome) ?? 0) / total) * 100);
  return `${share("accepted")}/${share("rejected")}/${share("waits")}`;
}

function describe(bytes: Buffer): string {
  const text = escaped(bytes.subarray(0, bytes.length - END_REQUEST.length));
  return text.length > 1500 ? `${text.slice(0, 700)}… (${bytes.length} bytes) …${text.slice(-700)}` : text;
}

function escaped(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1")).replaceAll(
    /[\x7f-\xff]/g,
    (char) => `\\u00${char.charCodeAt(0).toString(16)}`,
  );
}

function printExchange(bytes: Buffer, pieces: readonly Buffer[], readings: readonly Reading[]): void {
  console.log(escaped(bytes));
  console.log(`pieces: ${pieces.map((piece) => piece.length).join(" ")}`);
  for (const { requests, end, status } of readings) {
    const shown = requests.map((request) => ({
      ...request,
      body: Buffer.concat(request.body).toString("latin1"),
    }));
    console.log(JSON.stringify({ end, status, requests: shown }, undefined, 1));
  }
}
