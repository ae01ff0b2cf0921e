import type { DescMethod } from "@bufbuild/protobuf";
import type { Code } from "@connectrpc/connect";
import type { Protocol, RequestObserver } from "connect-transcoding";
import { codeName } from "connect-transcoding";
import { methodName } from "connect-transcoding/rules";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { histogramSamples } from "./histogram-samples.js";
import { outcomeCode } from "./outcome.js";

/** The upper bounds of the histogram of durations, in seconds: a look-up takes some 20 µs, a call 10 s at the most. */
const BOUNDS = [
  0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
  1, 2.5, 5, 10,
];

/** The codes are 1 to 16; OK is 0. */
const CODES = 17;

/** What was counted of the requests for one method through one protocol. */
interface Totals {
  readonly protocol: Protocol;
  /** The full name of the method; `none` where none was found. */
  readonly method: string;
  /** Requests by the number of their code. */
  readonly byCode: Float64Array;
  /** Requests by the first bound that their duration is not above; the last has those above all. */
  readonly byDuration: Float64Array;
  /** Of all durations, in seconds. */
  sum: number;
}

/** The totals of a method, by protocol. */
type TotalsByProtocol = { [D in Protocol]?: Totals };

/**
 * Counts requests for a registry. It is told of each, tens of thousands a second, so totals are kept in plain numbers and
 * become samples when somebody asks: counting with labels takes the client library a microsecond a request. There are as many
 * totals as methods times doors, whatever callers send.
 */
export function createRequestMetrics(registry: Registry): RequestObserver {
  const byMethod = new Map<DescMethod | undefined, TotalsByProtocol>();
  let inFlight = 0;

  function totalsOf(method: DescMethod | undefined, protocol: Protocol): Totals {
    let byProtocol = byMethod.get(method);
    if (byProtocol === undefined) {
      byProtocol = {};
      byMethod.set(method, byProtocol);
    }
    byProtocol[protocol] ??= {
      protocol,
      method: method === undefined ? "none" : methodName(method),
      byCode: new Float64Array(CODES),
      byDuration: new Float64Array(BOUNDS.length + 1),
      sum: 0,
    };
    return byProtocol[protocol];
  }

  const allTotals = () => [...byMethod.values()].flatMap((byProtocol) => Object.values(byProtocol));

  new Counter({
    name: "utility_tools_requests_total",
    help: "Requests that are over, by the full name of their method, their protocol and the canonical code of their outcome.",
    labelNames: ["method", "protocol", "code"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, protocol, byCode } of allTotals()) {
        byCode.forEach((count, number) => {
          if (count > 0) {
            this.inc({ method, protocol, code: nameOf(number) }, count);
          }
        });
      }
    },
  });
  const durations = {
    name: "utility_tools_request_duration_seconds",
    help: "Time from a request's arrival until its answer was handed over.",
  };
  // The library's histogram can only be filled one observation at a time: this one has its samples from the totals.
  const get = async () => ({
    ...durations,
    type: "histogram",
    aggregator: "sum",
    values: allTotals().flatMap(({ method, protocol, byDuration, sum }) =>
      histogramSamples(durations.name, { method, protocol }, BOUNDS, byDuration, sum),
    ),
  });
  const histogram = new Histogram({
    ...durations,
    labelNames: ["method", "protocol"],
    registers: [registry],
  });
  Object.assign(histogram, { get, getForPromString: get });
  new Gauge({
    name: "utility_tools_requests_in_flight",
    help: "Requests that have come and are not over.",
    registers: [registry],
    collect() {
      this.set(inFlight);
    },
  });

  return {
    onStart: () => {
      inFlight++;
    },
    onEnd: (record) => {
      inFlight--;
      const totals = totalsOf(record.method, record.protocol);
      const seconds = record.duration / 1000;
      add(totals.byCode, outcomeCode(record) ?? 0);
      add(totals.byDuration, bucketOf(seconds));
      totals.sum += seconds;
    },
  };
}

function add(counts: Float64Array, index: number): void {
  counts[index] = (counts[index] ?? 0) + 1;
}

/** The index of the first bound that a duration is not above. Most are short. */
function bucketOf(seconds: number): number {
  let index = 0;
  while (index < BOUNDS.length && seconds > (BOUNDS[index] ?? 0)) {
    index++;
  }
  return index;
}

function nameOf(code: number): string {
  // Where the number of a code is an index, 0 is not one of them.
  return code === 0 ? "OK" : codeName(code as Code);
}
