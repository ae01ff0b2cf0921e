import { useId } from "preact/hooks";
import { Check, Choices, Labeled, TextInput } from "../../kit/form/fields.js";
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
          <Choices choices={choices} value={value || (choices[0]?.[0] ?? "")} set={set} />
        </fieldset>
      );
    case "check":
      return <Check label={label} checked={value === "true"} set={(checked) => set(checked ? "true" : "")} />;
    case "color":
      return (
        <Labeled id={id} label={label}>
          <input
            id={id}
            class="control color"
            type="color"
            value={`#${value}`}
            onInput={({ currentTarget }) => set(currentTarget.value.slice(1))}
          />
        </Labeled>
      );
    default:
      return (
        <Labeled id={id} label={label}>
          <TextInput
            id={id}
            // Not of the type "password": people read it from a router, and browsers offer to save it.
            isCode={control === "password"}
            value={value}
            set={set}
            placeholder={placeholder}
            rows={control === "long" ? 4 : undefined}
            onPaste={onPaste}
          />
        </Labeled>
      );
  }
}
