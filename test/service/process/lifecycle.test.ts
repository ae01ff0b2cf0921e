import { describe, expect, test, vi } from "vitest";
import { createLifecycle } from "../../../src/service/process/lifecycle.js";

/** A process whose service stops when a test says so. */
function running({ isStarted = true } = {}) {
  const exit = vi.fn<(code: number) => void>();
  const bugs: unknown[] = [];
  const lines: string[] = [];
  const lifecycle = createLifecycle({
    exit,
    reportBug: (bug) => bugs.push(bug),
    log: (_level, message) => lines.push(message),
  });
  const { promise, resolve } = promiseWithResolvers();
  const stop = vi.fn(() => promise);
  if (isStarted) {
    lifecycle.started({ url: "http://127.0.0.1:1", stop });
  }
  const stopped = (): Promise<void> => {
    resolve();
    return new Promise((settle) => setImmediate(settle));
  };
  return { ...lifecycle, exit, bugs, lines, stop, stopped };
}

function promiseWithResolvers() {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe("a signal", () => {
  test("stops the service, and then the process", async () => {
    const { signalled, exit, stop, stopped } = running();
    signalled();
    expect(stop).toHaveBeenCalledOnce();
    expect(exit).not.toHaveBeenCalled();
    await stopped();
    expect(exit.mock.calls).toEqual([[0]]);
  });

  test("that comes twice ends the process at once", () => {
    const { signalled, exit, stop } = running();
    signalled();
    signalled();
    expect(stop).toHaveBeenCalledOnce();
    expect(exit.mock.calls).toEqual([[1]]);
  });

  test("that comes once while it stops for another reason does not hurry it", () => {
    const { signalled, stop, exit, ...process } = running();
    process.broken(new Error("a bug"));
    signalled();
    expect(stop).toHaveBeenCalledOnce();
    expect(exit).not.toHaveBeenCalled();
  });

  test("before the service has started ends the process: there is nothing to finish", () => {
    const { signalled, exit } = running({ isStarted: false });
    signalled();
    expect(exit.mock.calls).toEqual([[0]]);
  });
});

test("an exception that nobody caught is reported and stops the process with 1", async () => {
  const { broken, bugs, lines, exit, stop, stopped } = running();
  const [first, second] = [new Error("first"), new Error("second")];
  broken(first);
  broken(second);
  expect(bugs).toEqual([first, second]);
  expect(lines).toEqual(["an exception was not caught: stopping"]);
  expect(stop).toHaveBeenCalledOnce();
  await stopped();
  expect(exit.mock.calls).toEqual([[1]]);
});

test("an exception after a signal still shows in how the process ends", async () => {
  const { signalled, broken, exit, stopped } = running();
  signalled();
  broken(new Error("a bug"));
  await stopped();
  expect(exit.mock.calls).toEqual([[1]]);
});
