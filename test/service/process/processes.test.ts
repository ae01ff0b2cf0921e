import { once } from "node:events";
import { request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { endPrograms, type Program, runProgram } from "../../run-program.js";

// It runs what is built in dist/, as `npm test` does first.
const SERVICE = join(import.meta.dirname, "small-service.mjs");

afterEach(endPrograms);

async function start(env: Record<string, string>) {
  const program = runProgram(["--max-old-space-size=200", SERVICE], env);
  const [, url = ""] = await program.says(/^ready on (\S+)$/m);
  return { ...program, url };
}

/** Asks over a connection of its own, which takes whatever worker accepts it. */
async function ask(url: string, path: string): Promise<unknown> {
  const outgoing = request(`${url}${path}`, { agent: false }).end();
  const [response] = await once(outgoing, "response");
  return JSON.parse(await text(response));
}

async function workersOf(url: string): Promise<number[]> {
  return ((await ask(url, "/pids")) as number[]).toSorted();
}

/** A request whose worker is known and that gets its answer when it is sent to its end. */
async function openRequest(url: string) {
  const outgoing = request(`${url}/pid`, {
    method: "POST",
    headers: { expect: "100-continue" },
    agent: false,
  });
  const answer = once(outgoing, "response").then(async ([response]) => Number(await text(response)));
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  return { answer, finish: () => void outgoing.end("x") };
}

/** Whether a process is there. */
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

/** Asks again and again, over a new connection each time, until told to stop; then tells what failed. */
function keepAsking(url: string) {
  let isOver = false;
  const failures: unknown[] = [];
  let requests = 0;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      requests += 1;
      await ask(url, "/pid").catch((failure) => failures.push(failure));
    }
  };
  const loops = [loop(), loop(), loop()];
  return async () => {
    isOver = true;
    await Promise.all(loops);
    return { requests, failures };
  };
}

describe("workers", () => {
  test("share one port, and one line says where", async () => {
    const { url, out, process: supervisor } = await start({ WORKERS: "3" });
    expect(out()).toBe(`ready on ${url}\n`);
    const pids = await workersOf(url);
    expect(new Set(pids).size).toBe(3);
    expect(pids).not.toContain(supervisor.pid);
  });

  test("run with the flags of the supervisor", async () => {
    const { url } = await start({ WORKERS: "2" });
    expect(await ask(url, "/flags")).toEqual([["--max-old-space-size=200"], ["--max-old-space-size=200"]]);
  });

  test("are followed by others when they are killed, later each time, on the same port", async () => {
    const { url, says } = await start({ WORKERS: "2" });
    const [killed = 0, other = 0] = await workersOf(url);
    process.kill(killed, "SIGKILL");
    await says(new RegExp(`worker ${killed} ended: SIGKILL; another starts in 100 ms`));
    expect(await ask(url, "/pid")).toBe(other);
    const [, next] = await says(
      new RegExp(`another starts[\\s\\S]+worker (?!${other})(\\d+) takes requests`),
    );
    expect(await workersOf(url)).toEqual([other, Number(next)].toSorted());
    process.kill(Number(next), "SIGKILL");
    await says(new RegExp(`worker ${next} ended: SIGKILL; another starts in 200 ms`));
  });

  test("leave behind what they have counted when they are replaced or killed", async () => {
    const { url, says, process: supervisor } = await start({ WORKERS: "2" });
    const total = async () =>
      ((await ask(url, "/counts")) as number[]).reduce((sum, count) => sum + count, 0);
    const before = await workersOf(url);
    for (let requests = 0; requests < 20; requests++) {
      await ask(url, "/pid");
    }
    // Nobody has asked for their counts yet.
    supervisor.kill("SIGHUP");
    await says(/(takes the place of[\s\S]+){2}/);
    await allGone(before);
    // Each question is a request as well.
    expect(await total()).toBe(22);
    const [killed = 0] = await workersOf(url);
    expect(await total()).toBe(24);
    process.kill(killed, "SIGKILL");
    await says(new RegExp(`worker ${killed} ended`));
    expect(await total()).toBe(25);
  });

  test("that are all killed at once come back on the same port", async () => {
    const { url, says } = await start({ WORKERS: "2" });
    const killed = await workersOf(url);
    for (const pid of killed) {
      process.kill(pid, "SIGKILL");
    }
    await says(/(another starts[\s\S]+){2}(takes requests[\s\S]+){2}/);
    const pids = await workersOf(url);
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => killed.includes(pid))).toEqual([]);
  });

  test.each(["throw", "reject"])(
    "%s: an exception that nobody caught ends one, which is replaced",
    async (how) => {
      const { url, says } = await start({ WORKERS: "2" });
      expect(await ask(url, `/${how}`)).toBe("soon");
      await says(how === "throw" ? /^bug: thrown$/m : /^bug: rejected$/m);
      await says(/ended: exit code 1; another starts in 100 ms[\s\S]+takes requests/);
      expect(await workersOf(url)).toHaveLength(2);
    },
  );

  test("are replaced on SIGHUP while nothing is refused, and finish what they have", async () => {
    const { url, says, process: supervisor, exit } = await start({ WORKERS: "2" });
    const before = await workersOf(url);
    const { answer, finish } = await openRequest(url);
    const stop = keepAsking(url);
    supervisor.kill("SIGHUP");
    await says(/takes the place of/);
    finish();
    expect(before).toContain(await answer);
    await says(/(takes the place of[\s\S]+){2}/);
    await allGone(before);
    const { requests, failures } = await stop();
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    const after = await workersOf(url);
    expect(after).toHaveLength(2);
    expect(after.filter((pid) => before.includes(pid))).toEqual([]);
    supervisor.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test("cannot start where the port is taken, which is said once", async () => {
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

describe("stopping workers", () => {
  test("works while they load their program, and so cannot hear it yet", async () => {
    const {
      says,
      process: supervisor,
      exit,
      out,
      err,
    } = runProgram([SERVICE], {
      WORKERS: "2",
      LOADS_SLOWLY: "1",
    });
    await says(/loading[\s\S]+loading/);
    supervisor.kill("SIGTERM");
    expect(await exit).toBe(0);
    expect(out()).toBe("");
    expect(err()).toBe("loading\nloading\n");
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s: they finish what they have, and all end with 0",
    async (signal) => {
      const { url, process: supervisor, exit, err } = await start({ WORKERS: "2" });
      const pids = await workersOf(url);
      const { answer, finish } = await openRequest(url);
      supervisor.kill(signal);
      await refusesConnections(url);
      expect(supervisor.exitCode).toBe(null);
      finish();
      expect(pids).toContain(await answer);
      expect(await exit).toBe(0);
      expect(pids.filter(lives)).toEqual([]);
      expect(err()).not.toContain("error");
    },
  );

  test("a second signal ends all at once and leaves nobody behind", async () => {
    const { url, process: supervisor, exit } = await start({ WORKERS: "2" });
    const pids = await workersOf(url);
    const lost = (await openRequest(url)).answer.catch(() => "lost");
    supervisor.kill("SIGTERM");
    await refusesConnections(url);
    supervisor.kill("SIGTERM");
    expect(await exit).toBe(1);
    expect(await lost).toBe("lost");
    await allGone(pids);
  });

  test("one that does not stop in time is killed, and that is no success", async () => {
    const { url, process: supervisor, exit, err } = await start({ WORKERS: "2", STOP_TIMEOUT: "200" });
    const pids = await workersOf(url);
    await ask(url, "/hang");
    supervisor.kill("SIGTERM");
    expect(await exit).toBe(1);
    expect(err()).toMatch(/worker \d+ did not stop in time: it is killed/);
    expect(pids.filter(lives)).toEqual([]);
  });

  test("they stop by themselves, with what they have, when the supervisor is killed", async () => {
    const { url, process: supervisor, exit, says } = await start({ WORKERS: "2" });
    const pids = await workersOf(url);
    const { answer, finish } = await openRequest(url);
    supervisor.kill("SIGKILL");
    await says(/the supervisor is gone: stopping/);
    await refusesConnections(url);
    finish();
    expect(pids).toContain(await answer);
    expect(await exit).toBe("SIGKILL");
    await allGone(pids);
  });

  test("signals that reach all, as from a terminal, stop all as one", async () => {
    const { url, process: supervisor, exit } = await start({ WORKERS: "2" });
    const pids = await workersOf(url);
    const { answer, finish } = await openRequest(url);
    for (const pid of [supervisor.pid ?? 0, ...pids]) {
      process.kill(pid, "SIGINT");
    }
    await refusesConnections(url);
    finish();
    expect(pids).toContain(await answer);
    expect(await exit).toBe(0);
  });
});

describe("a process alone", () => {
  test("goes on when it gets SIGHUP, and says why nothing happens", async () => {
    const { url, process: alone, says, exit } = await start({});
    alone.kill("SIGHUP");
    await says(/SIGHUP: nothing to do/);
    expect(await ask(url, "/pids")).toEqual([alone.pid]);
    alone.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  test.each(["throw", "reject"])("%s: ends with 1 after an exception that nobody caught", async (how) => {
    const program: Program & { readonly url: string } = await start({});
    const { answer, finish } = await openRequest(program.url);
    expect(await ask(program.url, `/${how}`)).toBe("soon");
    await program.says(/an exception was not caught: stopping/);
    finish();
    expect(await answer).toBe(program.process.pid);
    expect(await program.exit).toBe(1);
  });
});

async function refusesConnections(url: string): Promise<void> {
  while (await ask(url, "/pid").then(Boolean, () => false)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
