import { useDocumentTitle } from "./title.js";

/** A text with `code` in backquotes, as in comments of the schema. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

interface PanelHeadingProps {
  readonly title: string;
  /** What it is for, as a sentence. */
  readonly about: string;
  /** What the panel shows, for the title of the document. Never a secret. */
  readonly value?: string;
}

/** The heading of a panel. */
export function PanelHeading({ title, about, value = "" }: PanelHeadingProps) {
  useDocumentTitle(title, value);
  return (
    <div class="stack panel-heading">
      <h1>{title}</h1>
      <p class="soft">{about}</p>
    </div>
  );
}

interface ExampleButtonsProps {
  /** The accessible name of the group. */
  readonly label: string;
  readonly examples: readonly string[];
  readonly onPick: (example: string) => void;
}

/** Example values, one button each. */
export function ExampleButtons({ label, examples, onPick }: ExampleButtonsProps) {
  return (
    <fieldset class="examples">
      <legend class="off-screen">{label}</legend>
      {examples.map((example) => (
        <button key={example} type="button" class="quiet code" onClick={() => onPick(example)}>
          {example}
        </button>
      ))}
    </fieldset>
  );
}
