import { createServer } from "node:net";
import { systemErrorCode } from "connect-transcoding-operations/failures/system-error";
import type { Config } from "../config/config.js";
import { EXIT, type ExitStatus } from "../failures/exit-status.js";
import { countryDataProblems } from "../tools/countries/load-countries.js";
import { ageWarnings } from "../tools/data-age.js";
import { loadEmailLists, loadInstalledLists } from "../tools/email/load-email.js";
import { describeRejected, lackOf, loadDatabases } from "../tools/geoip/load-geoip.js";
import { ageInDays } from "../tools/tool.js";

/** What `serve --check` found, besides settings and the files that are needed to start. */
export interface CheckOutcome {
  /** What is usable. */
  readonly facts: readonly string[];
  /** What is usable, and probably not what the operator wants. */
  readonly warnings: readonly string[];
  /** What is not usable, although the service would start. */
  readonly problems: readonly string[];
  readonly status: ExitStatus;
}

/** Loads the data files, opens a socket on the host, and connects to the store of the rate limit. */
export async function checkUse(config: Config): Promise<CheckOutcome> {
  const facts: string[] = [];
  const warnings: string[] = [];
  const problems: string[] = [...(await countryDataProblems())];
  const loaded = await loadDatabases(config);
  if (loaded.ok) {
    for (const { name, builtAt } of loaded.value.sources) {
      const age = builtAt === undefined ? "" : `, ${ageInDays(builtAt, Date.now())} days old`;
      facts.push(`data: ${name}${age}`);
    }
    warnings.push(
      ...ageWarnings(loaded.value.sources, Date.now()),
      ...loaded.value.outdated.map((file) => `${file} is older than the installed file, which is used`),
      ...loaded.value.rejected.map(describeRejected),
    );
    const lack = lackOf(loaded.value);
    if (lack !== undefined) {
      warnings.push(lack);
    }
  } else {
    problems.push(loaded.failure.description);
  }
  const installed = await loadInstalledLists();
  const lists = installed.ok ? await loadEmailLists(config.dataDir, installed.value) : installed;
  if (!installed.ok) {
    problems.push(installed.failure.description);
  } else if (!lists.ok) {
    warnings.push(`${lists.failure.description}; the installed list is used`);
  } else {
    warnings.push(
      ...ageWarnings(lists.value.sources, Date.now()),
      ...lists.value.outdated.map((file) => `${file} is older than the installed file, which is used`),
    );
  }
  const code = await hostProblem(config.host);
  if (code !== undefined) {
    problems.push(`HOST: ${config.host} is not an address of this machine (${code})`);
  }
  const why = await storeProblem(config);
  if (why !== undefined) {
    problems.push(`RATE_LIMIT_STORE: ${why}`);
  } else if (config.rateLimitStore !== undefined) {
    facts.push("RATE_LIMIT_STORE responds");
  }
  return { facts, warnings, problems, status: problems.length === 0 ? EXIT.ok : EXIT.unavailable };
}

/** Listens on a free port. Returns the code of the system's error; undefined if there is none. The service may run meanwhile. */
function hostProblem(host: string): Promise<string | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", (error) => resolve(systemErrorCode(error)));
    server.listen({ host, port: 0 }, () => server.close(() => resolve(undefined)));
  });
}

/** Connects to the store. Returns why it cannot be used; undefined if it responds or none is set. */
async function storeProblem({ rateLimit, rateLimitStore }: Config): Promise<string | undefined> {
  if (rateLimit === undefined || rateLimitStore === undefined) {
    return undefined;
  }
  const { openSharedStore } = await import("connect-transcoding-operations/access/rate-limit-store");
  return new Promise((resolve) => {
    const store = openSharedStore({
      ...rateLimit,
      url: rateLimitStore,
      // Nothing is counted.
      local: { consume: () => ({ count: 0, resetMs: 0 }) },
      onState: (state, why) => resolve(state === "up" ? undefined : why),
    });
    if (!store.ok) {
      resolve(store.failure.description);
    }
  });
}
