import type { DescMessage } from "@bufbuild/protobuf";
import { timeLeft } from "./time-left.js";
import type { ListRun } from "./use-list.js";

interface ListProgressProps<Input extends DescMessage, Output extends DescMessage, Overview> {
  readonly list: ListRun<Input, Output, Overview>;
}

/** How far a list is, and the buttons that pause, resume and cancel it. Renders nothing for a list that is complete. */
export function ListProgressView<Input extends DescMessage, Output extends DescMessage, Overview>({
  list: { phase, progress, pause, resume, cancel },
}: ListProgressProps<Input, Output, Overview>) {
  if (progress === undefined || phase === "complete" || phase === "empty" || phase === "failed") {
    return null;
  }
  const { done, total } = progress;
  const isRunning = phase === "running";
  return (
    <section class="card list-progress" aria-label="Progress">
      <progress max={total} value={done} aria-label="Progress" />
      <p>
        {done.toLocaleString("en")} of {total.toLocaleString("en")}
        <span class="list-note">{noteOf(phase, progress)}</span>
      </p>
      {phase !== "canceled" && (
        <div class="actions">
          {isRunning ? (
            <button type="button" class="quiet" onClick={pause}>
              Pause
            </button>
          ) : (
            <button type="button" onClick={resume}>
              Resume
            </button>
          )}
          <button type="button" class="quiet" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
    </section>
  );
}

function noteOf(
  phase: ListRun<DescMessage, DescMessage, unknown>["phase"],
  progress: NonNullable<ListRun<DescMessage, DescMessage, unknown>["progress"]>,
): string {
  const { waiting } = progress;
  switch (phase) {
    case "paused":
      return "Paused. The results so far are below.";
    case "stopped":
      return "Stopped before the end of the list.";
    case "canceled":
      return "Canceled. The results so far are below.";
    default:
  }
  if (waiting === undefined) {
    return timeLeft(progress, Date.now());
  }
  const reason =
    waiting.error.reason === "RATE_LIMIT_EXCEEDED"
      ? "The service limits how much it accepts at a time."
      : "The service does not respond.";
  return `${reason} Continues at ${new Date(waiting.until).toLocaleTimeString()}.`;
}
