import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { useCallback, useEffect, useId, useMemo, useState } from "preact/hooks";
import type { FieldChoice, Message } from "../../schema/schema.js";
import type { PanelPlace } from "../location.js";
import type { InvalidField } from "../service/errors.js";
import { fieldLabel, sentenceOf } from "../text.js";
import { Choices, FieldNotes, Labeled, TextInput, withNotes } from "./fields.js";
import { defaultValues, exampleValues, requestOf } from "./request.js";

/** The local name of a field, such as `ipAddress`. */
type LocalName<Desc extends DescMessage> = keyof MessageInitShape<Desc> & string;

/** The form of one request. */
export interface Form<Desc extends DescMessage> {
  readonly message: Message<Desc>;
  /** Form text by local name; "" for an omitted field. */
  readonly values: Readonly<Record<string, string>>;
  readonly set: (localName: string, text: string) => void;
  /** Sets a field that is empty, also when a text that was typed since the last rendering is not shown yet. */
  readonly fill: (localName: string, text: string) => void;
  /** The request that the values make; the same object until a value changes. */
  readonly request: MessageInitShape<Desc>;
}

/** Keeps the values of a form. They start with the schema's defaults and `initial`, by default the schema's examples. */
export function useForm<Desc extends DescMessage>(
  message: Message<Desc>,
  initial?: Readonly<Record<string, string>>,
): Form<Desc> {
  const [values, setValues] = useState(() => ({
    ...defaultValues(message),
    ...(initial ?? exampleValues(message)),
  }));
  const set = useCallback(
    (localName: string, text: string) => setValues((before) => ({ ...before, [localName]: text })),
    [],
  );
  const fill = useCallback(
    (localName: string, text: string) =>
      setValues((before) => ((before[localName] ?? "") === "" ? { ...before, [localName]: text } : before)),
    [],
  );
  const request = useMemo(() => requestOf(message, values), [message, values]);
  return { message, values, set, fill, request };
}

/**
 * Keeps the values of a form, as {@link useForm}, and one field in a parameter of the URL, so that a link opens the panel with the same
 * input. Not for a field with a secret.
 */
export function usePlaceForm<Desc extends DescMessage>(
  message: Message<Desc>,
  { arrival, replace }: PanelPlace,
  localName: LocalName<Desc>,
  parameter: string = localName,
): Form<Desc> {
  const given = arrival.parameters.get(parameter);
  const initial = given === null ? undefined : { ...exampleValues(message), [localName]: given };
  const { set, ...rest } = useForm(message, initial);
  // A link or the back button changes the URL.
  useEffect(() => {
    const text = arrival.parameters.get(parameter);
    if (text !== null) {
      set(localName, text);
    }
  }, [arrival, parameter, localName, set]);
  return {
    ...rest,
    set: (name, text) => {
      set(name, text);
      if (name === localName) {
        replace({ parameters: { [parameter]: text } });
      }
    },
  };
}

interface FormFieldProps<Desc extends DescMessage> {
  readonly form: Form<Desc>;
  readonly name: LocalName<Desc>;
  /** The violations of the whole request; the field shows its own. */
  readonly violations: readonly InvalidField[];
  /** Called when the user pastes. */
  readonly onPaste?: ((event: ClipboardEvent) => void) | undefined;
  /** Default: no help. The comments of the schema are about the API. */
  readonly help?: string;
  /** Whether to use a monospace font, as for keys and codes. */
  readonly isCode?: boolean;
}

/** One field of a form with its violations. Label, limits and choices come from the schema. */
export function FormField<Desc extends DescMessage>(props: FormFieldProps<Desc>) {
  const { form, name, violations, isCode, onPaste } = props;
  const field = form.message.fields.find(({ localName }) => localName === name);
  if (field === undefined) {
    throw new Error(`${form.message.name} has no field ${name}`);
  }
  const id = useId();
  const ofField = violations.filter((each) => each.field === field.name || each.field === field.jsonName);
  const wrong = ofField.map(({ description }) => sentenceOf(description)).join(" ");
  const notes = { id, wrong, help: props.help };
  const value = form.values[name] ?? "";
  const set = (text: string) => form.set(name, text);
  const label = fieldLabel(field);
  if (field.choices !== undefined) {
    return (
      <fieldset class="field" aria-describedby={`${id}-wrong ${id}-help`}>
        <legend>{label}</legend>
        <Choices choices={choicesWith(field.choices, value)} value={value} set={set} />
        <FieldNotes {...notes} />
      </fieldset>
    );
  }
  const required = field.isRequired === true;
  return (
    <Labeled
      {...notes}
      label={
        <>
          {label}
          {required && (
            <span class="small soft" aria-hidden="true">
              {" "}
              required
            </span>
          )}
        </>
      }
      aside={<Length text={value} max={field.maxLength ?? 0} />}
    >
      <TextInput
        {...withNotes(id, wrong !== "")}
        value={value}
        set={set}
        isCode={isCode}
        placeholder={field.example}
        required={required}
        onPaste={onPaste}
      />
    </Labeled>
  );
}

/** Returns the choices of a field, and its value: a setup link may have one that a request cannot have. */
function choicesWith(choices: readonly FieldChoice[], value: string) {
  const known = choices.map(({ text, title }) => [text, title] as const);
  return value === "" || known.some(([text]) => text === value) ? known : [...known, [value, value] as const];
}

/** The length of a text and its maximum, shown only near the maximum. */
function Length({ text, max }: { readonly text: string; readonly max: number }) {
  const length = [...text].length;
  return max === 0 || length < max * 0.75 ? null : (
    <span class={length > max ? "small numbers too-long" : "small numbers soft"}>
      {length} / {max}
    </span>
  );
}
