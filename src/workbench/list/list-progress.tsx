import { type RunProgress, timeLeft } from "./time-left.js";
import type { ListPhase, ListRun } from "./use-list.js";

/** How far a list is, and the buttons that pause, resume and cancel it. Renders nothing for a list that is complete. */
export function ListProgressView({ list }: { readonly list: ListRun<unknown> }) {
  const { phase, progress, pause, resume, cancel } = list;
  if (progress === undefined || phase === "complete" || phase === "empty" || phase === "failed") {
    return null;
  }
  const { done, total } = progress;
  return (
    <section class="card numbers list-progress" aria-label="Progress">
      <progress max={total} value={done} aria-label="Progress" />
      <p>
        {done.toLocaleString("en")} of {total.toLocaleString("en")} different
        <span class="meta list-note">{NOTES[phase] ?? waitOf(progress)}</span>
      </p>
      {phase !== "canceled" && (
        <div class="actions">
          <button
            type="button"
            class={phase === "running" ? "quiet" : ""}
            onClick={phase === "running" ? pause : resume}
          >
            {phase === "running" ? "Pause" : "Resume"}
          </button>
          <button type="button" class="quiet" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
    </section>
  );
}

const NOTES: Partial<Record<ListPhase, string>> = {
  paused: "Paused. The results so far are below.",
  stopped: "Stopped before the end of the list.",
  canceled: "Canceled. The results so far are below.",
};

/** What a list that is sent waits for, or how long it still takes. */
function waitOf(progress: RunProgress): string {
  const { waiting } = progress;
  if (waiting === undefined) {
    return timeLeft(progress, Date.now());
  }
  const reason =
    waiting.error.reason === "RATE_LIMIT_EXCEEDED"
      ? "The service limits how much it accepts at a time."
      : "The service does not respond.";
  return `${reason} Continues at ${new Date(waiting.until).toLocaleTimeString()}.`;
}
