import { answerByBatch, answerOneByOne } from "./answer-chunk.js";
import { answerForm, formOfMessage } from "./answer-form.js";
import { callFailure } from "./call-failure.js";
import { EXIT, type ExitStatus, exitStatusOf } from "./exit-status.js";
import { InputError } from "./input-error.js";
import { mapInOrder } from "./map-in-order.js";
import { createProgress } from "./progress.js";
import { type ChunkLimits, readInputs } from "./read-inputs.js";
import { renderMany } from "./render-many.js";
import { type Run, tell } from "./run.js";
import { SinkError } from "./sink.js";

/** Calls of a service that are under way at once. */
const REMOTE_CALLS = 4;

/** Chunks of a command without a batch: each input has a call of its own. */
const ONE_BY_ONE: ChunkLimits = { maxItems: 1, maxBytes: Number.POSITIVE_INFINITY };

/** Octets of a request that are left for what is around its items. */
const SPARE_OCTETS = 1024;

/**
 * Answers many inputs in their order, as they come: what is read ahead is a few batches at the most, and what is written
 * waits for whoever reads it. The first call that fails as a whole ends it.
 */
export async function runMany(run: Run, operands: readonly string[]): Promise<ExitStatus> {
  const { command, program, call, build, out, isRemote } = run;
  const { input, err } = program;
  const { batch } = command;
  const answerChunk = answerByBatch(command, call) ?? answerOneByOne(command, call, build);
  const limits = batch && { maxItems: batch.maxItems, maxBytes: batch.maxBytes - SPARE_OCTETS };
  const form =
    batch?.answer.message === undefined
      ? answerForm(command.method, program.registry)
      : {
          ...formOfMessage(batch.answer.message, program.registry),
          text: answerForm(command.method, program.registry).text,
        };
  const render = renderMany({
    ...run,
    command: command.name,
    form,
    width: out.isTerminal ? (out.width ?? 80) : undefined,
  });
  const progress = run.showsProgress
    ? createProgress({
        write: (text) => void err.sink.write(text).catch(() => {}),
        now: () => performance.now(),
        size: input.size,
        width: err.width ?? 80,
        style: run.errStyle,
      })
    : undefined;

  let octets = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const piece of input.pieces) {
      octets += piece.length;
      yield piece;
    }
  }
  let [done, failed] = [0, 0];
  try {
    const chunks = readInputs(operands, counted(), limits ?? ONE_BY_ONE);
    for await (const answered of mapInOrder(chunks, isRemote ? REMOTE_CALLS : 1, answerChunk)) {
      const rendered = render(answered);
      if (rendered.out !== "") {
        await out.sink.write(rendered.out);
      }
      if (rendered.err !== "") {
        progress?.clear();
        await err.sink.write(rendered.err);
      }
      failed += rendered.failed;
      done += answered.inputs.length;
      progress?.update(done, octets);
    }
    progress?.clear();
    return failed === 0 ? EXIT.ok : EXIT.answeredWithError;
  } catch (thrown) {
    progress?.clear();
    if (thrown instanceof SinkError || thrown instanceof InputError) {
      throw thrown;
    }
    const failure = callFailure(thrown, undefined);
    const message = done === 0 ? failure.message : `stopped after ${done} answers: ${failure.message}`;
    await tell(run, { ...failure, message }, undefined);
    return exitStatusOf(failure.code);
  }
}
