interface SuggestionProps {
  /** What was probably meant; undefined shows nothing. */
  readonly text: string | undefined;
  /** What of the text resembles what was typed, if it is something else. */
  readonly remark?: string | undefined;
  /** Called with the text. */
  readonly onPick: (text: string) => void;
}

/** What was probably meant, as a button. */
export function Suggestion({ text, remark, onPick }: SuggestionProps) {
  return text === undefined ? null : (
    <p class="home-suggestion">
      Did you mean{" "}
      <button type="button" class="quiet" onClick={() => onPick(text)}>
        {text}
      </button>
      {remark === undefined ? "" : ` (${remark})`}?
    </p>
  );
}
