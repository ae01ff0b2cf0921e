import "./example-buttons.css";

interface ExampleButtonsProps {
  /** What they are examples of. */
  readonly label: string;
  readonly examples: readonly string[];
  readonly onPick: (example: string) => void;
}

/** Values to try, a button each. */
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
