import { describe, expect, test, vi } from "vitest";
import type { ToSupervisor } from "../../../src/service/process/messages.js";
import { noSiblings, supervisedSiblings } from "../../../src/service/process/siblings.js";

const boom = (): never => {
  throw new Error("a bug");
};

test("a process without siblings asks itself", async () => {
  const siblings = noSiblings();
  siblings.answer("count", () => 1);
  siblings.answer("late", async () => 2);
  siblings.answer("broken", boom);
  expect(await siblings.askAll("count")).toEqual([1]);
  expect(await siblings.askAll("late")).toEqual([2]);
  expect(await siblings.askAll("broken")).toEqual([]);
  expect(await siblings.askAll("unheard of")).toEqual([]);
});

describe("a worker", () => {
  function worker() {
    const sent: ToSupervisor[] = [];
    const send = (message: ToSupervisor, done?: () => void): void => {
      sent.push(message);
      done?.();
    };
    return { sent, siblings: supervisedSiblings(send, 1_000) };
  }

  test("asks through its supervisor", async () => {
    const { sent, siblings } = worker();
    const first = siblings.askAll("count");
    const second = siblings.askAll("names");
    expect(sent).toEqual([
      { kind: "ask", id: 1, question: "count" },
      { kind: "ask", id: 2, question: "names" },
    ]);
    siblings.onMessage({ kind: "answers", id: 2, answers: ["a", "b"] });
    siblings.onMessage({ kind: "answers", id: 1, answers: [1, 2] });
    siblings.onMessage({ kind: "answers", id: 9, answers: [3] });
    expect(await first).toEqual([1, 2]);
    expect(await second).toEqual(["a", "b"]);
  });

  test("answers what its supervisor asks, if it can", async () => {
    const { sent, siblings } = worker();
    siblings.answer("count", async () => ({ requests: 7 }));
    siblings.answer("broken", boom);
    for (const [id, question] of ["broken", "unheard of", "count"].entries()) {
      siblings.onMessage({ kind: "question", id, question });
    }
    await vi.waitFor(() => expect(sent).toEqual([{ kind: "answer", id: 2, answer: { requests: 7 } }]));
  });

  test("says before its end what it would answer", async () => {
    const { sent, siblings } = worker();
    siblings.answer("broken", boom);
    siblings.answer("count", async () => 7);
    await siblings.sayLast(1_000);
    expect(sent).toEqual([{ kind: "last", question: "count", answer: 7 }]);
  });

  test("ends though nobody takes what it says", async () => {
    const siblings = supervisedSiblings(() => undefined, 1_000);
    siblings.answer("count", () => 7);
    await siblings.sayLast(1);
  });

  test("knows its own answer when no supervisor is there", async () => {
    vi.useFakeTimers();
    try {
      const { siblings } = worker();
      siblings.answer("count", () => 3);
      const answers = siblings.askAll("count");
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await answers).toEqual([3]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
