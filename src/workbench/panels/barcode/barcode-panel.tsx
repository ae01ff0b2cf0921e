import type { MessageInitShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { RenderBarcodeRequestSchema } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { fieldDocsOf } from "connect-transcoding/openapi";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { TYPING_PAUSE, useCall } from "../../kit/call.js";
import type { InvalidField } from "../../kit/client.js";
import { PanelHeading } from "../../kit/content.js";
import { ErrorView, ExchangeView } from "../../kit/exchange.js";
import { type Form, FormField, useForm } from "../../kit/form.js";
import { formatPlace, parsePlace, usePlace } from "../../kit/location.js";
import { defaultValues, requestOf } from "../../kit/request.js";
import { sentenceOf } from "../../kit/text.js";
import { BarcodeImage } from "./barcode-image.js";
import { type ContentInput, type ContentKind, formOf, KINDS, type Values } from "./contents.js";
import { ColorField, InputField } from "./input-field.js";
import "./barcode.css";

/** The text that is shown when the URL has none. */
const EXAMPLE_TEXT = fieldDocsOf(RenderBarcodeRequestSchema.field.data).example;

/** Renders links, networks, contacts and other texts as a QR code as the user types. */
export function BarcodePanel() {
  const { parameters, replace } = usePlace("barcode");
  const [{ kind, values }, setForm] = useState(() => formOf(parameters.get("data") ?? EXAMPLE_TEXT));
  const options = useForm(RenderBarcodeRequestSchema, {});
  const render = useCall(SERVICES.barcode.method.renderBarcode);
  const { send, reset, outcome, violations } = render;

  const content = useMemo(() => kind.contentOf(values), [kind, values]);
  const text = "text" in content ? content.text : "";
  const request = useMemo(() => requestFor(text, options.values), [text, options.values]);
  useEffect(() => {
    if (text === "") {
      reset();
    } else {
      send(request, TYPING_PAUSE);
    }
  }, [text, request, send, reset]);

  // The text that the URL has, or gets soon.
  const linked = useRef(parameters.get("data") ?? EXAMPLE_TEXT);
  useEffect(() => {
    // A link or the back button changes the text in the URL.
    const data = parameters.get("data");
    if (data !== null && data !== linked.current) {
      linked.current = data;
      setForm(formOf(data));
    }
  }, [parameters]);
  const data = kind.isSecret ? "" : text;
  useEffect(() => {
    if (data !== linked.current) {
      linked.current = data;
      replace({ parameters: { data } });
    }
  }, [data, replace]);

  const image = text !== "" && outcome?.ok === true ? outcome.value.message.image : undefined;
  const ofData = violations.filter(({ field }) => field === "data");
  return (
    <>
      <PanelHeading title="Bar code" service={SERVICES.barcode} />
      <div class="panel-columns">
        <div class="card card-body barcode-form">
          <ContentForm kind={kind} values={values} set={setForm} />
          {ofData.length > 0 && (
            <p class="wrong">{ofData.map(({ description }) => sentenceOf(description)).join(" ")}</p>
          )}
          <Appearance form={options} violations={violations} />
          {outcome?.ok === false && violations.length === 0 && <ErrorView error={outcome.failure} />}
        </div>
        <BarcodeImage
          image={image}
          request={request}
          hint={"hint" in content ? content.hint : violations.length > 0 ? "Check the form." : ""}
          hasLink={hasLink(data)}
        />
      </div>
      <ExchangeView {...render} request={request} />
    </>
  );
}

/** Whether the URL of the page can have a text: not if it is a secret. */
function hasLink(data: string): boolean {
  const hash = formatPlace({ panel: "barcode", value: "", parameters: new URLSearchParams({ data }) });
  return data !== "" && parsePlace(hash)?.parameters.get("data") === data;
}

const DEFAULTS = defaultValues(RenderBarcodeRequestSchema);

/** Creates the request for a text. Omits options with their default, so that snippets are short. */
function requestFor(data: string, values: Values): MessageInitShape<typeof RenderBarcodeRequestSchema> {
  const set = Object.entries(values).filter(([name, value]) => value !== DEFAULTS[name]);
  return requestOf(RenderBarcodeRequestSchema, { ...Object.fromEntries(set), data });
}

interface ContentFormProps {
  readonly kind: ContentKind;
  readonly values: Values;
  readonly set: (form: { readonly kind: ContentKind; readonly values: Values }) => void;
}

/** The kind of content, and the form of that kind. */
function ContentForm({ kind, values, set }: ContentFormProps) {
  const id = useId();
  return (
    <>
      <fieldset class="field">
        <legend class="off-screen">Content</legend>
        <div class="choices barcode-kinds">
          {KINDS.map((each) => (
            <label key={each.id} class="choice">
              <input
                type="radio"
                name={id}
                checked={each === kind}
                onChange={() => set({ kind: each, values })}
              />
              <span>{each.title}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {kind.inputs.map((input) =>
        input.name === "password" && values.security === "nopass" ? null : (
          <InputField
            key={`${kind.id}-${input.name}`}
            input={input}
            value={values[input.name] ?? ""}
            set={(value) => set({ kind, values: { ...values, [input.name]: value } })}
          />
        ),
      )}
    </>
  );
}

const CORRECTION: ContentInput = {
  name: "errorCorrection",
  label: "Error correction",
  control: "choice",
  choices: [
    ["", "Auto"],
    ["low", "7 %"],
    ["medium", "15 %"],
    ["quartile", "25 %"],
    ["high", "30 %"],
  ],
};

interface AppearanceProps {
  readonly form: Form<typeof RenderBarcodeRequestSchema>;
  readonly violations: readonly InvalidField[];
}

/** The options of the image. */
function Appearance({ form, violations }: AppearanceProps) {
  const { values, set } = form;
  const isOfOption = violations.some(({ field }) => field !== "data");
  const ofColors = violations.filter(({ field }) => field === "foreground" || field === "background");
  return (
    <details class="fold" open={isOfOption ? true : undefined}>
      <summary>Size and colors</summary>
      <div class="fold-body">
        <div class="barcode-row">
          <FormField form={form} name="size" help="In pixels, 64 to 2048." violations={violations} />
          <FormField form={form} name="margin" help="In modules, 4 or more." violations={violations} />
        </div>
        <div class="barcode-row">
          <ColorField
            label="Foreground"
            value={values.foreground ?? ""}
            set={(value) => set("foreground", value)}
          />
          <ColorField
            label="Background"
            value={values.background ?? ""}
            set={(value) => set("background", value)}
          />
        </div>
        {ofColors.length > 0 && (
          <p class="wrong" role="status">
            {ofColors.map(({ description }) => `The foreground ${description}.`).join(" ")}
          </p>
        )}
        <InputField
          input={CORRECTION}
          value={values.errorCorrection ?? ""}
          set={(value) => set("errorCorrection", value)}
        />
        <p class="help">How much of the code can be dirty or covered. More makes the code larger.</p>
      </div>
    </details>
  );
}
