import { ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import {
  MAX_WAITING_BYTES,
  MAX_WAITING_CALLS,
  type WaitingCall,
  WaitingCalls,
} from "../../src/grpc/waiting-calls.js";

const problem = () => new ConnectError("the end of the wait");

function waitingCall(): WaitingCall & { readonly errors: string[] } {
  const errors: string[] = [];
  return { errors, onSession: () => {}, onNoSession: ({ rawMessage }) => errors.push(rawMessage) };
}

test("a call over the limit fails at once", () => {
  const waiting = new WaitingCalls();
  const first = waitingCall();
  waiting.add(first, 0, problem);
  for (let count = 1; count < MAX_WAITING_CALLS; count++) {
    waiting.add(waitingCall(), 0, problem);
  }
  const last = waitingCall();
  waiting.add(last, 0, problem);
  expect([first.errors, last.errors]).toEqual([[], ["too many calls wait for the upstream server"]]);
  waiting.delete(first);
  const next = waitingCall();
  waiting.add(next, 0, problem);
  expect(next.errors).toEqual([]);
});

test("the bytes of all calls together are limited", () => {
  const waiting = new WaitingCalls();
  const [first, second] = [waitingCall(), waitingCall()];
  waiting.add(first, 0, problem);
  waiting.add(second, 0, problem);
  expect(waiting.hold(first, MAX_WAITING_BYTES - 1)).toBe(true);
  expect(waiting.hold(second, 2)).toBe(false);
  waiting.delete(first);
  expect(waiting.hold(second, 2)).toBe(true);
});

test("a failed attempt ends the wait of calls without patience alone", () => {
  const waiting = new WaitingCalls();
  const [patient, impatient] = [waitingCall(), waitingCall()];
  waiting.add(patient, 60_000, problem);
  waiting.add(impatient, 0, problem);
  waiting.fail(problem(), "impatient");
  expect([patient.errors.length, impatient.errors.length, waiting.size]).toEqual([0, 1, 1]);
  waiting.fail(problem(), "all");
  expect([patient.errors.length, waiting.size]).toEqual([1, 0]);
});
