/** What one method costs in one protocol. */
export interface MethodFigures {
  /** `<method>:<protocol>` */
  readonly name: string;
  /** Processor time of the service per request. */
  readonly microseconds: number;
  /** Bytes with headers, without what TLS, TCP and IP add. */
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** MiB after the load. */
  readonly residentMemory: number;
}

/** What a gRPC look-up costs with a rate limit. */
export interface LimitFigures {
  readonly store: string;
  /** Processor time of the service per request. */
  readonly serviceMicroseconds: number;
  /** Commands of the service to Redis per request. */
  readonly commands?: number;
  /** Processor time of Redis per request. */
  readonly redisMicroseconds?: number;
  /** Bytes to and from Redis per request. */
  readonly redisBytes?: number;
  /** Connections of one replica to Redis. */
  readonly connections?: number;
}

/** Processor time of a proxy per request. */
export interface ProxyFigures {
  readonly name: string;
  readonly microseconds: number;
}

/** What runs beside the service. */
export interface Surroundings {
  readonly limits: readonly LimitFigures[];
  readonly proxies: readonly ProxyFigures[];
}

/** The figures that the model is based on. */
export interface Measurements extends Surroundings {
  /** When, where and how they were measured. */
  readonly conditions: readonly string[];
  readonly methods: readonly MethodFigures[];
}

/** A load on the service. */
export interface Demand {
  /** Requests per second of all clients. */
  readonly rate: number;
  /** The share of each case in percent; `<method>:<protocol>` is a case. */
  readonly mix: Readonly<Record<string, number>>;
  /** The share of the processors that the load may take, above 0 and at most 1. The rest is for peaks and failed replicas. */
  readonly utilization: number;
  /** The share of cacheable requests that a cache answers, 0 to 1. */
  readonly hitRatio: number;
}

/** What a load takes. */
export interface Plan {
  /** Processors of the service. A replica has one process, which uses one processor. */
  readonly replicas: number;
  /** GiB of all replicas. */
  readonly memory: number;
  /** Gbit/s of requests and of responses, without what TLS, TCP and IP add. */
  readonly incoming: number;
  readonly outgoing: number;
  /** Processors that each of the measured proxies takes if all requests pass through it. */
  readonly proxies: readonly { readonly name: string; readonly processors: number }[];
  /** Processors of a proxy for the requests that its cache answers. */
  readonly cacheProcessors: number;
  /** The load on Redis with a shared rate limit; undefined if it was not measured. */
  readonly redis:
    | {
        readonly commands: number;
        /** Redis runs commands in one thread, so more than one are as many servers. */
        readonly servers: number;
        readonly connections: number;
        readonly gigabits: number;
      }
    | undefined;
}

/** The name of the proxy whose cache the plan includes. */
export const CACHE = "nginx, cache hit";

/** Whether shared caches may store the responses. */
export function isCacheable(name: string): boolean {
  return /^(?:countries|country|search):rest(?:H2)?$/.test(name);
}

/** Returns what a load takes. Throws a RangeError for an unknown case, or shares that are not 100 in total. */
export function planFor(
  { methods, limits, proxies }: Measurements,
  { rate, mix, utilization, hitRatio }: Demand,
): Plan {
  const shares = Object.entries(mix);
  const total = shares.reduce((sum, [, share]) => sum + share, 0);
  if (Math.abs(total - 100) > 1e-9) {
    throw new RangeError(`the shares of the mix are ${total} in total, and must be 100`);
  }
  let [microseconds, requestBytes, responseBytes, hits] = [0, 0, 0, 0];
  for (const [name, percent] of shares) {
    const figures = methods.find((each) => each.name === name);
    if (figures === undefined) {
      throw new RangeError(`${name} is no case; there are ${methods.map((each) => each.name).join(", ")}`);
    }
    const share = percent / 100;
    const cached = isCacheable(name) ? share * hitRatio : 0;
    microseconds += (share - cached) * figures.microseconds;
    hits += cached;
    requestBytes += share * figures.requestBytes;
    responseBytes += share * figures.responseBytes;
  }
  /** Processors for a rate in which each request takes some microseconds. */
  const processors = (perRequest: number, at = rate) => (at * perRequest) / 1e6 / utilization;
  const gigabits = (bytes: number) => (rate * bytes * 8) / 1e9;
  const replicas = Math.max(1, Math.ceil(processors(microseconds)));
  const memory = Math.max(...shares.map(([name]) => memoryOf(methods, name)));
  const redis = limits.find(({ redisMicroseconds }) => redisMicroseconds !== undefined);
  const cache = proxies.find(({ name }) => name === CACHE);
  return {
    replicas,
    memory: (replicas * memory) / 1024,
    incoming: gigabits(requestBytes),
    outgoing: gigabits(responseBytes),
    proxies: proxies
      .filter(({ name }) => name !== CACHE)
      .map((proxy) => ({ name: proxy.name, processors: processors(proxy.microseconds) })),
    cacheProcessors: processors(cache?.microseconds ?? 0, rate * hits),
    redis: redis && {
      commands: rate * (redis.commands ?? 0),
      servers: Math.ceil(processors(redis.redisMicroseconds ?? 0)),
      connections: replicas * (redis.connections ?? 0),
      gigabits: gigabits(redis.redisBytes ?? 0),
    },
  };
}

function memoryOf(methods: readonly MethodFigures[], name: string): number {
  return methods.find((each) => each.name === name)?.residentMemory ?? 0;
}

/** Parses a mix: `geoIp:rest=60,otpVerify:grpc=40`. Throws a RangeError for another form. */
export function parseMix(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(",").map((part) => {
      const [, name, share] = /^([A-Za-z]+:[A-Za-z0-9]+)=(\d+(?:\.\d+)?)$/.exec(part.trim()) ?? [];
      if (name === undefined) {
        throw new RangeError(`${JSON.stringify(part)} is not <method>:<protocol>=<percent>`);
      }
      return [name, Number(share)];
    }),
  );
}
