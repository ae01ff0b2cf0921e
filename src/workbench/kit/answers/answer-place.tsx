import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

interface AnswerPlaceProps {
  /** Whether the answer is to another input than the one that is shown, or not there yet. */
  readonly isWaiting: boolean;
  /** What to show in the empty place. Default: the shape of an answer, after a moment. */
  readonly hint?: ComponentChildren;
  /** The answer. Ignored while waiting. */
  readonly children: ComponentChildren;
}

/**
 * The place of an answer. While waiting, it is empty and keeps the height of the answer before, so that nothing below it moves. Hidden
 * content is neither read by screen readers nor reachable by keyboard.
 */
export function AnswerPlace({ isWaiting, hint, children }: AnswerPlaceProps) {
  const last = useRef<ComponentChildren>(null);
  if (!isWaiting) {
    last.current = children;
  }
  return (
    <div class={hint === undefined ? "answer-place" : "answer-place with-hint"} aria-busy={isWaiting}>
      <div class="answer-content">{last.current}</div>
      {isWaiting && <div class="answer-hint">{hint}</div>}
    </div>
  );
}
