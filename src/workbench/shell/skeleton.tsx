import { useEffect, useRef } from "preact/hooks";

interface SkeletonProps {
  /** Called with what is typed into the input of the home before the home is loaded. */
  readonly onText?: (text: string) => void;
}

/** The shape of a panel until its script has arrived. On the home, its input already takes text. It is part of the HTML of the page. */
export function Skeleton({ onText = () => {} }: SkeletonProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Typed before any script has arrived.
    onText(input.current?.value ?? "");
  }, [onText]);
  useEffect(
    () => () => {
      delete document.documentElement.dataset.start;
    },
    [],
  );
  return (
    <div class="skeleton" aria-busy="true">
      <p class="off-screen">Loading …</p>
      <div class="skeleton-line" />
      <input
        ref={input}
        class="control skeleton-input"
        aria-label="Look up"
        placeholder="Type or paste"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <div class="skeleton-card" />
    </div>
  );
}
