import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeApiKey } from "../../src/service/access/api-keys.js";
import { freePort } from "../../test/ports.js";
import { startRedis } from "../lib/programs.js";
import { hookReplica, type Replica } from "./replica.js";
import { CLIENTS, runScenario } from "./scenario.js";
import { serviceReplica } from "./service-replica.js";

// Replicas that share a limit on a real server, which is killed and restarted: `npm run check -- redis`.

// With --stores, only the store and the hook are tested.
const LIMIT = { limit: 100, window: 60 };
const NAMES = ["replica 1", "replica 2"];

/** The user that the documentation tells operators to create. The test has no other permissions. */
const USER =
  /^ACL SETUSER (.*)$/m.exec(readFileSync("docs/reference/access.md", "utf8"))?.[1]?.split(" ") ?? [];
const [USER_NAME = ""] = USER;
const PASSWORD = USER.find((rule) => rule.startsWith(">"))?.slice(1);

async function run(title: string, makeReplicas: (url: string) => Promise<readonly Replica[]>): Promise<void> {
  console.log(title);
  const port = await freePort();
  const replicas = await makeReplicas(`redis://${USER_NAME}:${PASSWORD}@127.0.0.1:${port}/1`);
  await runScenario(replicas, LIMIT.limit, () => startRedis(USER, port));
  await Promise.all(replicas.map((replica) => replica.close()));
}

function startServices(url: string, folder: string): Promise<readonly Replica[]> {
  const made = Array.from({ length: CLIENTS }, (_, client) => makeApiKey(`client-${client}`, randomBytes));
  const keys = made.flatMap((result) => (result.ok ? [result.value] : []));
  const file = join(folder, "keys");
  writeFileSync(file, keys.map(({ line }) => `${line}\n`).join(""));
  const settings = {
    RATE_LIMIT: `${LIMIT.limit}/${LIMIT.window}s`,
    RATE_LIMIT_STORE: url,
    API_KEYS_FILE: file,
  };
  const texts = keys.map(({ key }) => key);
  return Promise.all(NAMES.map((name) => serviceReplica(name, settings, texts)));
}

await run("the store and the hook", async (url) => NAMES.map((name) => hookReplica(name, url, LIMIT)));
if (!process.argv.includes("--stores")) {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  await run("the service, over HTTP and gRPC", (url) => startServices(url, folder));
  rmSync(folder, { recursive: true });
}
