import { type AllHTMLAttributes, type ComponentChildren, createElement, type Ref } from "preact";
import { useId, useRef } from "preact/hooks";
import { editedText, maskOf } from "./mask.js";

interface TextInputProps extends Omit<AllHTMLAttributes<HTMLInputElement>, "value" | "onInput" | "rows"> {
  readonly ref?: Ref<HTMLInputElement>;
  readonly value: string;
  readonly set: (text: string) => void;
  /** Whether to use a monospace font, as for keys and codes. */
  readonly isCode?: boolean | undefined;
  /** Whether the characters are masked, for screen readers too. */
  readonly isMasked?: boolean | undefined;
  /** How many lines are shown. Default: one, which is all that the text can have. */
  readonly rows?: number | undefined;
}

/** A text field that the browser neither completes nor corrects. */
export function TextInput({ value, set, isCode, isMasked, rows, ...rest }: TextInputProps) {
  const text = value.replaceAll(/\r\n?/g, "\n");
  const isDotted = isMasked === true && rows !== undefined;
  const before = useRef(0);
  return createElement<AllHTMLAttributes<HTMLInputElement>>(rows === undefined ? "input" : "textarea", {
    class: isCode ? "control code" : "control",
    ...(isMasked && rows === undefined && { type: "password" }),
    value: isDotted ? maskOf(text) : value,
    rows,
    // Browsers do not offer to save a one-time code.
    autocomplete: isMasked ? "one-time-code" : "off",
    autocapitalize: "off",
    spellcheck: false,
    onBeforeInput: (event) => {
      before.current = event.currentTarget.selectionStart ?? 0;
      // The browser knows the dots only.
      if (isDotted && event.inputType.startsWith("history")) {
        event.preventDefault();
      }
    },
    onInput: ({ currentTarget: field }) => {
      const caret = field.selectionEnd ?? 0;
      const next = isDotted ? editedText(text, field.value, before.current, caret) : field.value;
      if (isDotted) {
        field.value = maskOf(next);
        field.setSelectionRange(caret, caret);
      }
      set(next);
    },
    ...rest,
  });
}

interface NotesProps {
  readonly id: string;
  readonly wrong?: ComponentChildren;
  readonly help?: ComponentChildren;
}

/** The attributes of a control whose {@link FieldNotes} say what is wrong. */
export function withNotes(id: string, isWrong: boolean) {
  return { id, "aria-invalid": isWrong, "aria-describedby": `${id}-wrong ${id}-help` };
}

/** What is wrong with a field, and its help. A control refers to them by {@link withNotes}. */
export function FieldNotes({ id, wrong = "", help = "" }: NotesProps) {
  return (
    <>
      <p id={`${id}-wrong`} class="wrong">
        {wrong}
      </p>
      {help !== "" && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
    </>
  );
}

interface LabeledProps extends NotesProps {
  readonly label: ComponentChildren;
  /** At the end of the line with the label. */
  readonly aside?: ComponentChildren;
  /** The control, whose id is `id`. */
  readonly children: ComponentChildren;
}

/** A control between its label and its notes. */
export function Labeled({ id, label, aside, children, ...notes }: LabeledProps) {
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>{label}</label>
        {aside}
      </div>
      {children}
      <FieldNotes id={id} {...notes} />
    </div>
  );
}

/** A field that filters what is shown. Only screen readers read its label. */
export function SearchInput({ label, ...rest }: TextInputProps & { readonly label: string }) {
  return <TextInput aria-label={label} type="search" placeholder="Filter" {...rest} />;
}

interface ChoicesProps {
  readonly choices: readonly (readonly [value: string, title: string])[];
  readonly value: string;
  readonly set: (value: string) => void;
  readonly class?: string;
}

/** Values of which one is chosen, side by side. */
export function Choices({ choices, value, set, class: classes = "choices" }: ChoicesProps) {
  const id = useId();
  return (
    <div class={classes}>
      {choices.map(([choice, title]) => (
        <label key={choice} class="choice">
          <input
            type="radio"
            name={id}
            value={choice}
            checked={choice === value}
            onChange={() => set(choice)}
          />
          <span>{title}</span>
        </label>
      ))}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly checked: boolean;
  readonly set: (checked: boolean) => void;
}

/** A box to check. */
export function Check({ label, checked, set }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => set(currentTarget.checked)} />
      {label}
    </label>
  );
}

interface FileButtonProps {
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}

/** A button that opens a file of the user's computer. */
export function FileButton({ label, accept, onFile }: FileButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="quiet file-button" onClick={() => picker.current?.click()}>
        {label}
      </button>
      <input
        ref={picker}
        type="file"
        hidden
        accept={accept}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file can be chosen again.
          currentTarget.value = "";
          if (file !== undefined) {
            onFile(file);
          }
        }}
      />
    </>
  );
}
