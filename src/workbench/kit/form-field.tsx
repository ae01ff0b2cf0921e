import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useId } from "preact/hooks";
import type { FieldViolation } from "./call-error.js";
import { commentOf } from "./comments.js";
import { fieldChoices, fieldLabel } from "./field-text.js";
import { Prose } from "./prose.js";
import type { Form } from "./use-form.js";

/** What a field of a form needs to know. All else – label, help, limits, choices – is what the schema says of the field. */
export interface FormFieldProps<Desc extends DescMessage> {
  readonly form: Form<Desc>;
  /** The local name of the field. */
  readonly name: string;
  /** What the service said is wrong; that of other fields is left alone. */
  readonly violations: readonly FieldViolation[];
  /** Whether the text may have several lines. */
  readonly isLong?: boolean;
  /** Whether the text is a key or a code: a font in which its characters are told apart. */
  readonly isCode?: boolean;
}

/** One field of a request, with what is wrong with it beside it. */
export function FormField<Desc extends DescMessage>(props: FormFieldProps<Desc>) {
  const { form, name, violations } = props;
  const field = form.desc.fields.find(({ localName }) => localName === name);
  if (field === undefined) {
    throw new Error(`${form.desc.typeName} has no ${name}`);
  }
  const id = useId();
  const wrong = violations.filter((each) => each.field === field.name || each.field === field.jsonName);
  const common = {
    field,
    id,
    wrong,
    value: form.values[name] ?? "",
    set: (text: string) => form.set(name, text),
  };
  return fieldChoices(field).length > 0 ? <ChoiceField {...common} /> : <TextField {...props} {...common} />;
}

interface ControlProps {
  readonly field: DescField;
  readonly id: string;
  readonly wrong: readonly FieldViolation[];
  readonly value: string;
  readonly set: (text: string) => void;
}

function TextField({
  field,
  id,
  wrong,
  value,
  set,
  isLong,
  isCode,
}: ControlProps & { readonly isLong?: boolean; readonly isCode?: boolean }) {
  const { required, example, maxLength } = fieldDocsOf(field);
  const Control = isLong ? "textarea" : "input";
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          {fieldLabel(field)}
          {required && (
            <span class="required" aria-hidden="true">
              required
            </span>
          )}
        </label>
        <Length text={value} max={maxLength} />
      </div>
      <Control
        id={id}
        class={isCode ? "control code" : "control"}
        value={value}
        placeholder={example}
        required={required}
        rows={isLong ? 4 : undefined}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={wrong.length > 0}
        aria-describedby={`${id}-wrong ${id}-help`}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      <Notes field={field} id={id} wrong={wrong} />
    </div>
  );
}

function ChoiceField({ field, id, wrong, value, set }: ControlProps) {
  return (
    <fieldset class="field" aria-describedby={`${id}-wrong ${id}-help`}>
      <legend>{fieldLabel(field)}</legend>
      <div class="choices">
        {fieldChoices(field).map(({ text, title }) => (
          <label key={text} class="choice">
            <input type="radio" name={id} value={text} checked={text === value} onChange={() => set(text)} />
            <span>{title}</span>
          </label>
        ))}
      </div>
      <Notes field={field} id={id} wrong={wrong} />
    </fieldset>
  );
}

/** How long a text is, once it comes near to the most characters that its field takes. */
function Length({ text, max }: { readonly text: string; readonly max: number }) {
  const length = [...text].length;
  return max === 0 || length < max * 0.75 ? null : (
    <span class={length > max ? "length too-long" : "length"}>
      {length} / {max}
    </span>
  );
}

function Notes({ field, id, wrong }: Pick<ControlProps, "field" | "id" | "wrong">) {
  return (
    <>
      <p id={`${id}-wrong`} class="wrong">
        {wrong.map(({ description }) => description).join("; ")}
      </p>
      <p id={`${id}-help`} class="help">
        <Prose text={commentOf(field)} />
      </p>
    </>
  );
}
