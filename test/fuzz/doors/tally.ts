import type { AnyRequest } from "./door-request.js";
import type { Prescription, Verdict } from "./judge.js";

/** Counts how requests ended. */
export interface Tally {
  add(request: AnyRequest, verdict: Verdict): void;
  /** A table by door and version of HTTP: requests, how many a second, and how they ended. */
  table(seconds: number): string;
  /** How often each prescribed fault came. */
  readonly prescribed: ReadonlyMap<Prescription, number>;
}

/** Makes a tally of nothing. */
export function createTally(): Tally {
  const rows = new Map<string, Map<string, number>>();
  const prescribed = new Map<Prescription, number>();

  function add(request: AnyRequest, verdict: Verdict): void {
    const name = `${request.door}, HTTP/${request.http === 1 ? "1.1" : "2"}`;
    const row = rows.get(name) ?? new Map<string, number>();
    rows.set(name, row.set(verdict.code, (row.get(verdict.code) ?? 0) + 1));
    if (verdict.prescribed !== undefined) {
      prescribed.set(verdict.prescribed, (prescribed.get(verdict.prescribed) ?? 0) + 1);
    }
  }

  function table(seconds: number): string {
    const lines = [...rows]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, codes]) => {
        const total = [...codes.values()].reduce((sum, times) => sum + times, 0);
        const ends = [...codes].sort(([, a], [, b]) => b - a).map(([code, times]) => `${code} ${times}`);
        return `${line(name, String(total), (total / seconds).toFixed(0))}  ${ends.join(", ")}`;
      });
    return [`${line("door", "requests", "a second")}  ends`, ...lines].join("\n");
  }

  return { add, table, prescribed };
}

function line(name: string, requests: string, perSecond: string): string {
  return `${name.padEnd(18)}${requests.padStart(10)}${perSecond.padStart(10)}`;
}
