import { useMemo } from "preact/hooks";
import { diffText } from "./diff-text.js";

const TAGS = { removed: "del", added: "ins" } as const;

/** A text with what was taken from it and what came in, for the eye; for the ear what it is now. */
export function DiffView({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = useMemo(() => diffText(before, after), [before, after]);
  return (
    <p class="email-diff code">
      <span class="off-screen">{after}</span>
      <span aria-hidden="true">
        {parts.map(({ kind, text }, index) => {
          if (kind === "same") {
            return text;
          }
          const Tag = TAGS[kind];
          return <Tag key={index}>{text}</Tag>;
        })}
      </span>
    </p>
  );
}
