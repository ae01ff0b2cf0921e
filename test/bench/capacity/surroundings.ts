import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@redis/client";
import { freePort, untilListening } from "../../ports.js";
import { startRedis } from "../../redis/redis-server.js";
import type { BenchCase } from "../cases.js";
import { createLoad } from "../load.js";
import { type Bench, checkAll, problemOf } from "../run-case.js";
import { isInstalled, OURS, PROCESSORS, pinned, processorTimeOf, startProcess } from "../server-process.js";
import { METHOD_CASES } from "./cases.js";
import type { LimitFigures, ProxyFigures, Surroundings } from "./model.js";

// Measures what runs beside the service: the store of rate limits, and proxies.

const UNLIMITED = "1000000000/1m";

/** Measures everything whose program is installed. `envoy` is the path of Envoy, if it is to be measured. */
export async function measureSurroundings(
  bench: Bench,
  seconds: number,
  envoy: string | undefined,
): Promise<Surroundings> {
  const limits: LimitFigures[] = [
    await measureLimits(bench, seconds, "no limit", {}),
    await measureLimits(bench, seconds, "memory", { RATE_LIMIT: UNLIMITED }),
  ];
  if (isInstalled("redis-server")) {
    limits.push(await measureRedis(bench, seconds));
  }
  const proxies: ProxyFigures[] = [];
  const nginx = "/usr/sbin/nginx";
  if (isInstalled(nginx)) {
    proxies.push(await measureProxy(bench, seconds, "nginx, REST", "geoIp:rest", nginx, nginxArgs));
    proxies.push(await measureProxy(bench, seconds, "nginx, gRPC", "geoIp:grpc", nginx, nginxArgs));
    proxies.push(await measureProxy(bench, seconds, "nginx, cache hit", "country:rest", nginx, nginxArgs));
  }
  if (envoy !== undefined) {
    proxies.push(await measureProxy(bench, seconds, "Envoy, REST", "geoIp:rest", envoy, envoyArgs));
    proxies.push(await measureProxy(bench, seconds, "Envoy, gRPC", "geoIp:grpc", envoy, envoyArgs));
  }
  return { limits, proxies };
}

/** Sends the requests of a case to a URL. Returns the number of requests and their processor time in microseconds. */
async function measure(
  bench: Bench,
  benchCase: BenchCase,
  { seconds, url, processorTime }: { seconds: number; url: string; processorTime: () => number },
) {
  const { all } = await checkAll(bench, benchCase, [{ name: "ours", url }]);
  await createLoad(url, all, { seconds: 1, first: 0 });
  const before = processorTime();
  const result = await createLoad(url, all, { seconds, first: 0 });
  const problem = problemOf(result);
  if (problem !== undefined) {
    throw new Error(`${benchCase.name}: ${problem}`);
  }
  return { requests: result.requests, microseconds: ((processorTime() - before) / result.requests) * 1e6 };
}

function caseNamed(name: string): BenchCase {
  const found = METHOD_CASES.find((each) => each.name === name);
  if (found === undefined) {
    throw new Error(`there is no case ${name}`);
  }
  return found;
}

/** Measures gRPC look-ups with a rate limit that is not reached. */
async function measureLimits(
  bench: Bench,
  seconds: number,
  store: string,
  environment: Readonly<Record<string, string>>,
): Promise<LimitFigures> {
  const server = await startProcess(OURS, { command: bench.node, environment });
  try {
    const { microseconds } = await measure(bench, caseNamed("geoIp:grpc"), { seconds, ...server });
    return { store, serviceMicroseconds: microseconds };
  } finally {
    await server.stop();
  }
}

async function measureRedis(bench: Bench, seconds: number): Promise<LimitFigures> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const redis = await startRedis("redis-server", port, ["default", "on", "nopass", "~*", "&*", "+@all"]);
  const client = await createClient({ url }).connect();
  const info = async (name: string): Promise<number> =>
    Number(
      new RegExp(`^${name}[:=](?:calls=)?([\\d.]+)`, "m").exec(await client.info("everything"))?.[1] ?? 0,
    );
  const server = await startProcess(OURS, {
    command: bench.node,
    environment: { RATE_LIMIT: UNLIMITED, RATE_LIMIT_STORE: url },
  });
  try {
    const counts = async () => ({
      // A script, which runs SET, INCRBY and PTTL.
      commands: await info("cmdstat_eval"),
      seconds: (await info("used_cpu_user")) + (await info("used_cpu_sys")),
      bytesIn: await info("total_net_input_bytes"),
      bytesOut: await info("total_net_output_bytes"),
    });
    const benchCase = caseNamed("geoIp:grpc");
    const { all } = await checkAll(bench, benchCase, [{ name: "ours", url: server.url }]);
    await createLoad(server.url, all, { seconds: 1, first: 0 });
    const [before, serviceBefore] = [await counts(), server.processorTime()];
    const { requests } = await createLoad(server.url, all, { seconds, first: 0 });
    const [after, serviceAfter] = [await counts(), server.processorTime()];
    return {
      store: "Redis",
      serviceMicroseconds: ((serviceAfter - serviceBefore) / requests) * 1e6,
      commands: (after.commands - before.commands) / requests,
      redisMicroseconds: ((after.seconds - before.seconds) / requests) * 1e6,
      redisBytes: (after.bytesIn - before.bytesIn + after.bytesOut - before.bytesOut) / requests,
      // Without the one that asks.
      connections: (await info("connected_clients")) - 1,
    };
  } finally {
    client.destroy();
    await server.stop();
    await redis.kill();
  }
}

type Arguments = (folder: string, port: number, upstream: string, isGrpc: boolean) => readonly string[];

/** Measures the processor time of a proxy with one thread, without TLS. */
async function measureProxy(
  bench: Bench,
  seconds: number,
  name: string,
  caseName: string,
  program: string,
  args: Arguments,
): Promise<ProxyFigures> {
  const server = await startProcess(OURS, { command: bench.node });
  const folder = join(bench.folder, name.replace(/\W+/g, "-"));
  mkdirSync(folder);
  const port = await freePort();
  const benchCase = caseNamed(caseName);
  const [command = "", ...rest] = pinned(
    PROCESSORS?.load,
    program,
    args(folder, port, new URL(server.url).host, benchCase.candidates.grpc),
  );
  const proxy = spawn(command, rest, { stdio: ["ignore", "ignore", "pipe"] });
  proxy.stderr.resume();
  try {
    await untilListening(port, once(proxy, "exit"));
    const url = `http://127.0.0.1:${port}`;
    const processorTime = () => processorTimeOf(proxy.pid);
    const { microseconds } = await measure(bench, benchCase, { seconds, url, processorTime });
    return { name, microseconds };
  } finally {
    proxy.kill("SIGKILL");
    await server.stop();
  }
}

const nginxArgs: Arguments = (folder, port, upstream, isGrpc) => {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (kind) => `${kind}_temp_path temp;`,
  );
  const pass = isGrpc
    ? "grpc_pass grpc://service;"
    : `proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host;`;
  const cache = "proxy_cache kept; proxy_cache_key $http_host$request_uri;";
  writeFileSync(
    join(folder, "nginx.conf"),
    `${process.getuid?.() === 0 ? "user root;" : ""} daemon off; master_process off; pid pid; error_log error.log;
    events { worker_connections 4096; }
    http { access_log off; keepalive_requests 1000000000; ${temporary.join(" ")} proxy_cache_path cache keys_zone=kept:1m;
      upstream service { server ${upstream}; keepalive 128; keepalive_requests 1000000000; }
      server { listen 127.0.0.1:${port}${isGrpc ? " http2" : ""}; location / { ${pass} }
        location /v1/countries { ${pass} ${cache} } } }`,
  );
  return ["-p", folder, "-c", "nginx.conf", "-e", "error.log"];
};

/** Envoy speaks HTTP/2 to the service, which takes less of its processor time. */
const envoyArgs: Arguments = (folder, port, upstream) => {
  const [address, servicePort] = upstream.split(":");
  const type = (name: string) => `type.googleapis.com/envoy.extensions.${name}`;
  const socket = (host: string | undefined, at: number) => ({
    socket_address: { address: host, port_value: at },
  });
  const manager = {
    "@type": type("filters.network.http_connection_manager.v3.HttpConnectionManager"),
    stat_prefix: "bench",
    route_config: {
      virtual_hosts: [
        { name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, route: { cluster: "service" } }] },
      ],
    },
    http_filters: [
      { name: "envoy.filters.http.router", typed_config: { "@type": type("filters.http.router.v3.Router") } },
    ],
  };
  const service = {
    name: "service",
    type: "STATIC",
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": type("upstreams.http.v3.HttpProtocolOptions"),
        explicit_http_config: { http2_protocol_options: { max_concurrent_streams: 100 } },
      },
    },
    load_assignment: {
      cluster_name: "service",
      endpoints: [{ lb_endpoints: [{ endpoint: { address: socket(address, Number(servicePort)) } }] }],
    },
  };
  const filter = { name: "envoy.filters.network.http_connection_manager", typed_config: manager };
  const listener = {
    name: "http",
    address: socket("127.0.0.1", port),
    filter_chains: [{ filters: [filter] }],
  };
  const file = join(folder, "envoy.json");
  writeFileSync(file, JSON.stringify({ static_resources: { listeners: [listener], clusters: [service] } }));
  return ["-c", file, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error"];
};
