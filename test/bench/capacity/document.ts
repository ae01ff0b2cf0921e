import { table } from "../report.js";
import { CACHE, type Demand, type Measurements, type Plan, planFor } from "./model.js";

/** The tables of the guide on capacity, by their names in the markers of the document. */
export type Tables = ReadonlyMap<string, string>;

/** The rate of all plans in the document. */
const RATE = 1_000_000;
const UTILIZATION = 0.6;

/** Shares in percent of the methods in a mixed load. */
const MIXED = {
  geoIp: 60,
  country: 10,
  search: 5,
  otpVerify: 10,
  otpGenerate: 3,
  email: 10,
  barcodeSvg: 2,
};
const COUNTRIES = { "country:rest": 80, "countries:rest": 5, "search:rest": 15 };

const over = (protocol: string, shares: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(shares).map(([method, share]) => [`${method}:${protocol}`, share]));

const LOADS: readonly (readonly [title: string, mix: Demand["mix"]])[] = [
  ["look-ups, REST over HTTP/1.1", over("rest", { geoIp: 100 })],
  ["look-ups, REST over HTTP/2", over("restH2", { geoIp: 100 })],
  ["look-ups, gRPC", over("grpc", { geoIp: 100 })],
  ["look-ups, gRPC-Web over HTTP/1.1", over("web", { geoIp: 100 })],
  ["mixed, REST over HTTP/1.1", over("rest", MIXED)],
  ["mixed, REST over HTTP/2", over("restH2", MIXED)],
  ["mixed, gRPC", over("grpc", MIXED)],
];

const HIT_RATIOS = [0, 0.5, 0.9, 0.99];

/** Formats the tables of the document. */
export function tablesOf(
  measurements: Measurements,
  methods: readonly string[],
  protocols: readonly string[],
): Tables {
  const plan = (mix: Demand["mix"], hitRatio = 0) =>
    planFor(measurements, { rate: RATE, mix, utilization: UTILIZATION, hitRatio });
  const matrix = (cell: (figures: Measurements["methods"][number]) => string) =>
    table(
      ["Method", ...protocols.map((each) => `\`${each}\``)],
      `l${"r".repeat(protocols.length)}`,
      methods.map((method) => [
        `\`${method}\``,
        ...protocols.map((protocol) => {
          const found = measurements.methods.find(({ name }) => name === `${method}:${protocol}`);
          return found === undefined ? "" : cell(found);
        }),
      ]),
    );
  const plans = LOADS.map(([title, mix]) => ({ title, ...plan(mix) }));
  return new Map([
    ["conditions", measurements.conditions.map((line) => `- ${line}`).join("\n")],
    ["time", matrix(({ microseconds }) => microseconds.toFixed(1))],
    ["rate", matrix(({ microseconds }) => whole(1e6 / microseconds))],
    [
      "bytes",
      matrix(({ requestBytes, responseBytes }) => `${whole(requestBytes)} + ${whole(responseBytes)}`),
    ],
    ["plans", planTable(plans)],
    ["limits", limitTable(measurements)],
    ["redis", redisTable(plans)],
    ["proxies", proxyTable(measurements)],
    ["cache", cacheTable(HIT_RATIOS.map((ratio) => ({ ratio, ...plan(COUNTRIES, ratio) })))],
  ]);
}

function planTable(plans: readonly (Plan & { readonly title: string })[]): string {
  return table(
    ["Load", "Replicas", "Memory GiB", "In Gbit/s", "Out Gbit/s"],
    "lrrrr",
    plans.map(({ title, replicas, memory, incoming, outgoing }) => [
      title,
      whole(replicas),
      whole(memory),
      incoming.toFixed(2),
      outgoing.toFixed(2),
    ]),
  );
}

function limitTable({ limits }: Measurements): string {
  return table(
    ["Counts in", "Service, CPU µs", "Redis, CPU µs", "Commands", "Bytes", "Connections per replica"],
    "lrrrrr",
    limits.map((each) => [
      each.store,
      each.serviceMicroseconds.toFixed(1),
      each.redisMicroseconds?.toFixed(1) ?? "",
      each.commands?.toFixed(2) ?? "",
      each.redisBytes === undefined ? "" : whole(each.redisBytes),
      each.connections === undefined ? "" : whole(each.connections),
    ]),
  );
}

function redisTable(plans: readonly (Plan & { readonly title: string })[]): string {
  return table(
    ["Load", "Commands/s", "Redis servers", "Connections", "Gbit/s"],
    "lrrrr",
    plans.flatMap(({ title, redis }) =>
      redis === undefined
        ? []
        : [
            [
              title,
              whole(redis.commands),
              whole(redis.servers),
              whole(redis.connections),
              redis.gigabits.toFixed(2),
            ],
          ],
    ),
  );
}

function proxyTable({ proxies }: Measurements): string {
  return table(
    ["Proxy", "CPU µs per request", `Processors for ${whole(RATE)} requests/s`],
    "lrr",
    proxies.map(({ name, microseconds }) => [
      name,
      microseconds.toFixed(1),
      whole(Math.ceil((RATE * microseconds) / 1e6 / UTILIZATION)),
    ]),
  );
}

function cacheTable(plans: readonly (Plan & { readonly ratio: number })[]): string {
  return table(
    ["Hit ratio", "Replicas", `Processors of ${CACHE.split(",")[0]} for hits`, "In all"],
    "rrrr",
    plans.map(({ ratio, replicas, cacheProcessors }) => [
      `${Math.round(ratio * 100)} %`,
      whole(replicas),
      whole(Math.ceil(cacheProcessors)),
      whole(replicas + Math.ceil(cacheProcessors)),
    ]),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}

/**
 * Replaces the tables of a document, which are between `<!-- begin name -->` and `<!-- end -->`. Throws an Error if the document
 * lacks one, or has one that does not exist.
 */
export function withTables(document: string, tables: Tables): string {
  const missing = new Set(tables.keys());
  const replaced = document.replaceAll(
    /(<!-- begin (\w+) -->\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: string, end: string) => {
      const content = tables.get(name);
      if (content === undefined) {
        throw new Error(`there is no table ${name}`);
      }
      missing.delete(name);
      return `${begin}\n${content}\n\n${end}`;
    },
  );
  if (missing.size > 0) {
    throw new Error(`the document lacks ${[...missing].join(", ")}`);
  }
  return replaced;
}
