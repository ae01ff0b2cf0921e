import { useId } from "preact/hooks";
import type { ContentInput } from "./contents.js";

interface InputFieldProps {
  readonly input: ContentInput;
  readonly value: string;
  readonly set: (value: string) => void;
  /** Called with what is pasted into a text. */
  readonly onPaste?: ((event: ClipboardEvent) => void) | undefined;
}

/** An input of a form with its label. */
export function InputField({ input, value, set, onPaste }: InputFieldProps) {
  const id = useId();
  const { label, control, choices = [], placeholder } = input;
  switch (control) {
    case "choice":
      return (
        <fieldset class="field">
          <legend>{label}</legend>
          <div class="choices">
            {choices.map(([choice, title], index) => (
              <label key={choice} class="choice">
                <input
                  type="radio"
                  name={id}
                  checked={value === "" ? index === 0 : value === choice}
                  onChange={() => set(choice)}
                />
                <span>{title}</span>
              </label>
            ))}
          </div>
        </fieldset>
      );
    case "check":
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={value === "true"}
            onChange={({ currentTarget }) => set(currentTarget.checked ? "true" : "")}
          />
          {label}
        </label>
      );
    default: {
      const Control = control === "long" ? "textarea" : "input";
      return (
        <div class="field">
          <label for={id}>{label}</label>
          <Control
            id={id}
            // Not of the type "password": people read it from a router, and browsers offer to save it.
            class={control === "password" ? "control code" : "control"}
            value={value}
            placeholder={placeholder}
            rows={control === "long" ? 4 : undefined}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={({ currentTarget }) => set(currentTarget.value)}
            onPaste={onPaste}
          />
        </div>
      );
    }
  }
}

interface ColorFieldProps {
  readonly label: string;
  /** Six hexadecimal digits. */
  readonly value: string;
  readonly set: (value: string) => void;
}

/** A color with the picker of the system. */
export function ColorField({ label, value, set }: ColorFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        class="color"
        type="color"
        value={`#${value}`}
        onInput={({ currentTarget }) => set(currentTarget.value.slice(1))}
      />
    </div>
  );
}
