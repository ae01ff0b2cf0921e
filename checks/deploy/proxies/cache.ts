import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { digestOf } from "../../../src/service/access/api-keys.js";
import { check } from "../../lib/checks.mjs";
import { type Change, type ReverseProxy, startReplica, startShippedNginx } from "../shipped.js";
import { ask, type ProxyResponse } from "./requests.js";

// The cache of nginx is used for all paths, so that only the headers of the service decide what it stores.
const LIST = "/v1/countries";
const EVERYTHING: Change = ["location /v1/countries {", "location /v1/ {"];
const SHOW_STATUS: Change = [
  "proxy_cache utility_tools;",
  "proxy_cache utility_tools; add_header x-cache $upstream_cache_status always;",
];
const SHORT: Change = [
  "proxy_cache_revalidate on;",
  "proxy_cache_revalidate on; proxy_ignore_headers Cache-Control; proxy_cache_valid 200 1s;",
];
const BASE_URL = { PUBLIC_BASE_URL: "https://tools.example" };
const KEY = "ut_cache-test";

/** Starts a service and nginx in front of it, runs the tests, and stops both. */
async function behindNginx(
  settings: Readonly<Record<string, string>>,
  change: Change,
  run: (nginx: ReverseProxy, stopService: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const service = await startReplica(0, settings);
  const nginx = await startShippedNginx([service.port, service.port], [SHOW_STATUS, change]);
  await run(nginx, service.end);
  await nginx.stop();
  await service.end();
}

/** How nginx got a response: HIT, MISS and so on. */
const cacheOf = ({ headers }: ProxyResponse): string => String(headers["x-cache"]);

/** Whether responses came from the service, with a status. */
const areFresh = (responses: readonly ProxyResponse[], status: number): boolean =>
  responses.every((response) => cacheOf(response) === "MISS" && response.status === status);

/** Checks what nginx stores with deploy/nginx.conf. */
export async function checkCache(): Promise<void> {
  await behindNginx(BASE_URL, EVERYTHING, async (nginx, stopService) => {
    const twice = async (path: string) => [await ask(nginx, path), await ask(nginx, path)] as const;

    const [first, second] = await twice(LIST);
    check(
      "the second request hits the cache",
      cacheOf(first) === "MISS" && cacheOf(second) === "HIT",
      second.headers,
    );
    check("a hit has the same body", first.status === 200 && second.body === first.body);

    const zipped = await ask(nginx, LIST, { headers: { "accept-encoding": "gzip" } });
    const plain = await ask(nginx, LIST);
    check(
      "a compressed response is stored separately",
      cacheOf(zipped) === "MISS" &&
        zipped.headers["content-encoding"] === "gzip" &&
        plain.body === first.body,
    );
    const unchanged = await ask(nginx, LIST, { headers: { "if-none-match": String(first.headers.etag) } });
    check("the cache returns 304", unchanged.status === 304 && cacheOf(unchanged) === "HIT", unchanged);
    const head = await ask(nginx, LIST, { method: "HEAD" });
    check("HEAD hits the cache", head.status === 200 && cacheOf(head) === "HIT" && head.body === "", head);

    const asClients = (...addresses: string[]) =>
      Promise.all(
        addresses.map(async (address) => {
          const response = await ask(nginx, "/v1/geoIp/self", { headers: { "x-forwarded-for": address } });
          return `${JSON.parse(response.body).ip} ${cacheOf(response)}`;
        }),
      );
    const selves = [
      ...(await asClients("8.8.8.8")),
      ...(await asClients("1.1.1.1")),
      ...(await asClients("8.8.8.8")),
    ];
    check(
      "each client gets the data of its own address",
      selves.join() === "8.8.8.8 MISS,1.1.1.1 MISS,8.8.8.8 MISS",
      selves,
    );
    for (const [path, status] of [
      ["/v1/geoIp?ip_address=8.8.8.8", 200],
      ["/v1/barcode?type=qr_code&data=x", 200],
      ["/v1/countries?country=XX", 404],
      ["/v1/countries?unknown=1", 400],
    ] as const) {
      check(`${path} is not stored`, areFresh(await twice(path), status));
    }

    await stopService();
    const kept = await ask(nginx, LIST);
    check("hits do not need the service", kept.status === 200 && cacheOf(kept) === "HIT", kept);
  });

  await behindNginx(BASE_URL, SHORT, async (nginx) => {
    const first = await ask(nginx, LIST);
    await wait(2_100);
    const later = await ask(nginx, LIST);
    check(
      "an expired response is revalidated by its entity tag",
      cacheOf(later) === "REVALIDATED" && later.body === first.body,
      later.headers,
    );
  });

  const folder = mkdtempSync(join(tmpdir(), "utility-tools-cache-"));
  const keys = join(folder, "keys");
  writeFileSync(keys, `tester ${digestOf(KEY).toString("hex")}\n`);
  await behindNginx({ ...BASE_URL, API_KEYS_FILE: keys }, EVERYTHING, async (nginx) => {
    const withKey = [
      await ask(nginx, LIST, { headers: { "x-api-key": KEY } }),
      await ask(nginx, LIST, { headers: { authorization: `Bearer ${KEY}` } }),
    ];
    check("responses to clients with a key are not stored", areFresh(withKey, 200));
    check("a client without a key gets no stored response", areFresh([await ask(nginx, LIST)], 401));
  });
  rmSync(folder, { recursive: true });

  await behindNginx({ ...BASE_URL, RATE_LIMIT: "10/1m" }, EVERYTHING, async (nginx) => {
    const seen = [await ask(nginx, LIST), await ask(nginx, LIST)];
    const left = seen.map(({ headers }) => String(headers.ratelimit).split(";")[1]);
    check("the rate limit of a client is not stored", areFresh(seen, 200) && left.join() === "r=9,r=8", left);
  });

  await behindNginx({}, EVERYTHING, async (nginx) => {
    const seen = [
      await ask(nginx, LIST, { headers: { host: "a.example" } }),
      await ask(nginx, LIST, { headers: { host: "b.example" } }),
    ];
    const hosts = seen.map(({ body }) => JSON.parse(body)[0].api_url.split("/")[2]);
    check(
      "responses with the host of a request are not stored",
      areFresh(seen, 200) && hosts.join() === "a.example,b.example",
      hosts,
    );
  });
}
