import { placeOf, readField } from "connect-transcoding/codec";
import { type CallFailure, callFailure } from "./call-failure.js";
import type { CallMethod } from "./call-method.js";
import type { ToolCommand } from "./command.js";
import { EXIT, exitStatusOf } from "./exit-status.js";
import type { AnsweredChunk, Outcome } from "./outcome.js";
import type { Input, InputChunk } from "./read-inputs.js";
import type { BuildRequest } from "./request.js";

/** Finds out what comes of some inputs. Throws what no single input is to blame for, as calls do. */
export type AnswerChunk = (chunk: InputChunk) => Promise<AnsweredChunk>;

/** Answers inputs through the batch method of a command, all of a chunk in one call. */
export function answerByBatch({ batch }: ToolCommand, call: CallMethod): AnswerChunk | undefined {
  if (batch === undefined) {
    return undefined;
  }
  const { method, items } = batch;
  const [results, answer, error] = [batch.results, batch.answer, batch.error].map(placeOf);
  if (results === undefined || answer === undefined || error === undefined) {
    return undefined;
  }
  return async (chunk) => {
    const texts: string[] = [];
    for (const { text, refused } of chunk.inputs) {
      if (refused === undefined) {
        texts.push(text);
      }
    }
    const response = texts.length === 0 ? {} : await call(method, { [items.localName]: texts });
    // An answer of another service may lack results, which must not shift those that are there.
    const answered = (readField(results, response) ?? []) as readonly Parameters<typeof readField>[1][];
    if (answered.length !== texts.length && texts.length > 0) {
      throw new Error(`${method.name} answered ${answered.length} of ${texts.length} items`);
    }
    let next = 0;
    const outcomes = chunk.inputs.map(({ refused }): Outcome => {
      if (refused !== undefined) {
        return { kind: "failure", failure: refused };
      }
      const result = answered[next++] ?? {};
      const failure = readField(error, result);
      return failure === undefined
        ? { kind: "answer", message: (readField(answer, result) ?? {}) as typeof result }
        : // The fields of an item's error, which the derivation of the command has seen, are those of a failure.
          { kind: "failure", failure: failure as CallFailure };
    });
    return { inputs: chunk.inputs, outcomes };
  };
}

/** Answers inputs one by one, each with a call of its own. */
export function answerOneByOne(
  { method, operand }: ToolCommand,
  call: CallMethod,
  build: BuildRequest,
): AnswerChunk {
  const answerOne = async ({ text, refused }: Input): Promise<Outcome> => {
    if (refused !== undefined) {
      return { kind: "failure", failure: refused };
    }
    try {
      return { kind: "answer", message: await call(method, build(text)) };
    } catch (thrown) {
      const failure = callFailure(thrown, operand?.name);
      if (exitStatusOf(failure.code) !== EXIT.answeredWithError) {
        throw thrown;
      }
      return { kind: "failure", failure };
    }
  };
  return async (chunk) => {
    const outcomes: Outcome[] = [];
    for (const input of chunk.inputs) {
      outcomes.push(await answerOne(input));
    }
    return { inputs: chunk.inputs, outcomes };
  };
}
