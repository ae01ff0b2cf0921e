import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { freePort } from "connect-transcoding-testing/ports.js";
import { endPrograms, runProgram } from "connect-transcoding-testing/run-program.js";
import { afterAll, describe, expect, test } from "vitest";
import { builtProgram } from "../../support/programs.js";

const SERVICE = builtProgram("small-service");

afterAll(endPrograms);

async function start(env: Record<string, string>) {
  const program = runProgram(["--max-old-space-size=200", SERVICE], env);
  const [, url = ""] = await program.says(/^ready on (\S+)$/m);
  if (env.WORKERS !== undefined) {
    await program.says(new RegExp(`(is ready\\n[\\s\\S]*){${env.WORKERS}}`));
  }
  /** The process ids of the workers that are ready and have not ended, by the log. */
  const workers = (): number[] => {
    const pids = (pattern: RegExp) => [...program.err().matchAll(pattern)].map(([, pid]) => Number(pid));
    const ended = pids(/worker (\d+) ended/g);
    return pids(/worker (\d+) is ready/g).filter((pid) => !ended.includes(pid));
  };
  return { ...program, url, workers };
}

/** Sends a request over a connection of its own, which any worker may accept. */
async function ask(url: string, path: string): Promise<unknown> {
  const outgoing = request(`${url}${path}`, { agent: false }).end();
  const [response] = await once(outgoing, "response");
  return JSON.parse(await text(response));
}

/** Starts a request. A worker has accepted it, and responds when it is finished. */
async function openRequest(url: string, path = "/pid") {
  const outgoing = request(`${url}${path}`, {
    method: "POST",
    headers: { expect: "100-continue" },
    agent: false,
  });
  const response = once(outgoing, "response").then(async ([incoming]) => JSON.parse(await text(incoming)));
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  return { response, finish: () => void outgoing.end("x") };
}

/** Returns whether a process exists. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function allGone(pids: readonly number[]): Promise<void> {
  while (pids.some(lives)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe.concurrent("workers", () => {
  test("share one port, and one line on stdout has it", async () => {
    const { url, out, workers, process: primary } = await start({ WORKERS: "3" });
    expect(out()).toBe(`ready on ${url}\n`);
    const pids = workers();
    expect(new Set(pids).size).toBe(3);
    expect(pids).not.toContain(primary.pid);
    expect(pids).toContain(await ask(url, "/pid"));
  });

  test("run with the flags of the primary process", async () => {
    const { url } = await start({ WORKERS: "2" });
    expect(await ask(url, "/flags")).toEqual(["--max-old-space-size=200"]);
  });

  test("are ready as soon as each of them is", async () => {
    const program = runProgram([SERVICE], { WORKERS: "2", READY_ON_RELOAD: "1" });
    await program.says(/^not ready on \S+$/m);
    expect(program.err()).not.toContain("is ready");
    program.process.kill("SIGHUP");
    await program.says(/(?:is ready\n[\s\S]*){2}/);
    await program.says(/^ready on \S+$/m);
  });

  test("are restarted when they are killed, later each time, on the same port", async () => {
    const { url, says, workers } = await start({ WORKERS: "2" });
    const [killed = 0, other = 0] = workers();
    process.kill(killed, "SIGKILL");
    await says(new RegExp(`worker ${killed} ended: SIGKILL; starting another worker in 100 ms`));
    expect(await ask(url, "/pid")).toBe(other);
    const [, next] = await says(/starting another worker[\s\S]+worker (\d+) is ready/);
    expect(workers()).toEqual([other, Number(next)]);
    process.kill(Number(next), "SIGKILL");
    await says(new RegExp(`worker ${next} ended: SIGKILL; starting another worker in 200 ms`));
  });

  test("that are all killed at once are restarted on the same port", async () => {
    const port = await freePort();
    const { url, says, workers } = await start({ WORKERS: "2", PORT: String(port) });
    const killed = workers();
    for (const pid of killed) {
      process.kill(pid, "SIGKILL");
    }
    await says(/(starting another worker[\s\S]+){2}(is ready[\s\S]+){2}/);
    const pids = workers();
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => killed.includes(pid))).toEqual([]);
    expect(pids).toContain(await ask(url, "/pid"));
  });

  test.each(["throw", "reject"])("%s: an uncaught exception ends one, which is restarted", async (how) => {
    const { url, says, workers } = await start({ WORKERS: "2" });
    expect(await ask(url, `/${how}`)).toBe("soon");
    await says(how === "throw" ? /^bug: thrown$/m : /^bug: rejected$/m);
    await says(/ended: exit code 1; starting another worker in 100 ms[\s\S]+is ready/);
    expect(workers()).toHaveLength(2);
  });

  test("that cannot start, because the port is taken, end the start with one line", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = String(typeof address === "object" ? address?.port : "");
    const program = runProgram([SERVICE], { WORKERS: "3", PORT: port });
    expect(await program.exit).toBe(1);
    taken.close();
    expect(program.out()).toBe("");
    expect(program.err()).toMatch(/^cannot start: [^\n]*EADDRINUSE[^\n]*\n$/);
  });
});

describe.concurrent("stopping workers", () => {
  test("works while they load their program", async () => {
    const {
      says,
      process: primary,
      exit,
      out,
      err,
    } = runProgram([SERVICE], { WORKERS: "2", LOADS_FOREVER: "1" });
    await says(/loading[\s\S]+loading/);
    primary.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(out()).toBe("");
    expect(err()).toBe("loading\nloading\ninfo: SIGTERM: stopping\ninfo: stopped\n");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s: they complete requests in progress, and all exit with 0",
    async (signal) => {
      const { url, workers, process: primary, exit, err } = await start({ WORKERS: "2" });
      const pids = workers();
      const { response, finish } = await openRequest(url);
      primary.kill(signal);
      await rejectsConnections(url);
      expect(primary.exitCode).toBe(null);
      finish();
      expect(pids).toContain(await response);
      expect(await exit).toBe(0);
      expect(pids.filter(lives)).toEqual([]);
      expect(err()).not.toContain("error");
    },
  );

  test("a second signal kills all immediately", async () => {
    const { url, workers, process: primary, exit } = await start({ WORKERS: "2" });
    const pids = workers();
    const lost = (await openRequest(url)).response.catch(() => "lost");
    primary.kill("SIGTERM");
    await rejectsConnections(url);
    primary.kill("SIGTERM");
    expect(await exit).toBe(1);
    expect(await lost).toBe("lost");
    await allGone(pids);
  });

  test("those that do not stop in time are killed, and the exit code is 1", async () => {
    const { url, workers, process: primary, exit, err } = await start({ WORKERS: "2", STOP_TIMEOUT: "200" });
    const pids = workers();
    await ask(url, "/hang");
    primary.kill("SIGTERM");
    expect(await exit).toBe(1);
    expect(err()).toMatch(/\d workers? did not stop in time: killed/);
    expect(pids.filter(lives)).toEqual([]);
  });

  test("they complete requests in progress and stop when the primary process is killed", async () => {
    const { url, workers, process: primary, exit, says } = await start({ WORKERS: "2" });
    const pids = workers();
    const { response, finish } = await openRequest(url);
    primary.kill("SIGKILL");
    await says(/the primary process has exited: stopping/);
    await rejectsConnections(url);
    finish();
    expect(pids).toContain(await response);
    expect(await exit).toBe("SIGKILL");
    await allGone(pids);
  });

  test("signals that all processes receive, as from a terminal, count once", async () => {
    const { url, workers, process: primary, exit } = await start({ WORKERS: "2" });
    const pids = workers();
    const { response, finish } = await openRequest(url);
    for (const pid of [primary.pid ?? 0, ...pids]) {
      process.kill(pid, "SIGINT");
    }
    await rejectsConnections(url);
    finish();
    expect(pids).toContain(await response);
    expect(await exit).toBe(0);
  });
});

describe.concurrent("a single process", () => {
  test("reloads its files on SIGHUP", async () => {
    const { url, process: single, exit, says } = await start({});
    single.kill("SIGHUP");
    await says(/SIGHUP: reloading[\s\S]*reloaded/);
    expect(await ask(url, "/pid")).toBe(single.pid);
    single.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test.each(["throw", "reject"])("%s: exits with 1 after an uncaught exception", async (how) => {
    const { url, says, exit, process: single } = await start({});
    const { response, finish } = await openRequest(url);
    expect(await ask(url, `/${how}`)).toBe("soon");
    await says(/uncaught exception: stopping/);
    finish();
    expect(await response).toBe(single.pid);
    expect(await exit).toBe(1);
  });

  test("waits for requests in progress if a first signal comes after an uncaught exception", async () => {
    const { url, says, exit, process: single } = await start({});
    const { response, finish } = await openRequest(url);
    await ask(url, "/throw");
    await says(/uncaught exception: stopping/);
    single.kill("SIGTERM");
    await rejectsConnections(url);
    finish();
    expect(await response).toBe(single.pid);
    expect(await exit).toBe(1);
  });

  test("exits with 1 if an exception is uncaught after a signal", async () => {
    const { url, says, exit, process: single } = await start({});
    const [throwing, waiting] = [await openRequest(url, "/throw"), await openRequest(url)];
    single.kill("SIGTERM");
    await rejectsConnections(url);
    throwing.finish();
    await says(/^bug: thrown$/m);
    waiting.finish();
    expect(await waiting.response).toBe(single.pid);
    expect(await exit).toBe(1);
  });
});

async function rejectsConnections(url: string): Promise<void> {
  while (await ask(url, "/pid").then(Boolean, () => false)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
