import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BarcodeService,
  RenderBarcodeRequestSchema,
} from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ErrorView } from "../../kit/answers/error-view.js";
import { PanelHeading } from "../../kit/content.js";
import { ExchangeView } from "../../kit/exchange/exchange.js";
import { Choices } from "../../kit/form/fields.js";
import { type Form, FormField, useForm } from "../../kit/form/form.js";
import { defaultValues, requestOf } from "../../kit/form/request.js";
import { linkedHash, usePlace } from "../../kit/location.js";
import { TYPING_PAUSE, useAnswer } from "../../kit/service/call.js";
import type { InvalidField } from "../../kit/service/errors.js";
import { sentenceOf } from "../../kit/text.js";
import { OneOrList, type OneProps } from "../../list/one-or-list.js";
import { useListPaste } from "../../list/use-list-paste.js";
import { methodAt } from "../../schema/method.js";
import { fieldOf, messageNamed } from "../../schema/schema.js";
import { BarcodeImage } from "./barcode-image.js";
import { type ContentInput, type ContentKind, formOf, KINDS, type Values } from "./contents.js";
import { codeFileName } from "./file-name.js";
import { InputField } from "./input-field.js";
import type { Logo } from "./logo.js";
import { LogoField } from "./logo-field.js";
import "./barcode.css";

const RENDER = methodAt<typeof BarcodeService.method.renderBarcode>("BarcodeService/RenderBarcode");
const REQUEST = messageNamed<typeof RenderBarcodeRequestSchema>("RenderBarcodeRequest");

/** The text that is shown when the URL has none. */
const { example: EXAMPLE_TEXT = "" } = fieldOf(REQUEST, "data");

const DEFAULTS = defaultValues(REQUEST);

/** The options of the image, which a link carries as well. */
const OPTIONS = ["size", "margin", "errorCorrection", "foreground", "background"] as const;

/** Returns the options that a URL has. */
function optionsOf(parameters: URLSearchParams): Values {
  const set = OPTIONS.map((name) => [name, parameters.get(name) ?? ""] as const);
  return Object.fromEntries(set.filter(([, value]) => value !== ""));
}

/** Returns the parameters of the URL for a text and options. Omits options with their default, and all without a text. */
function stateOf(data: string, values: Values): Values {
  const set = OPTIONS.map((name) => [name, values[name] ?? ""] as const);
  const changed = set.filter(([name, value]) => value !== "" && value !== DEFAULTS[name]);
  return data === "" ? { data } : { data, ...Object.fromEntries(changed) };
}

function isSame(one: Values, other: Values): boolean {
  return new URLSearchParams(one).toString() === new URLSearchParams(other).toString();
}

const loadList = () => import("./barcode-list.js").then(({ BarcodeList }) => BarcodeList);

/** One QR code, or those of a list of texts. */
export function BarcodePanel() {
  const place = usePlace("barcode");
  const data = place.parameters.get("data") ?? "";
  return (
    <>
      <PanelHeading
        title="QR code"
        about="Links, Wi-Fi and texts to scan."
        // Networks, contacts and others have a syntax that people do not read.
        value={/^(wifi|begin|mailto|geo):/i.test(data) ? "" : data}
      />
      <OneOrList place={place} label="Make" one="One code" loadList={loadList}>
        {(isShown) => <BarcodeForm place={place} isShown={isShown} />}
      </OneOrList>
    </>
  );
}

/** Renders links, networks, contacts and other texts as a QR code as the user types. */
function BarcodeForm({ place, isShown }: OneProps) {
  const { arrival, replace } = place;
  const { parameters } = arrival;
  const [{ kind, values }, setForm] = useState(() => formOf(parameters.get("data") ?? EXAMPLE_TEXT));
  const options = useForm(REQUEST, optionsOf(parameters));
  const onPaste = useListPaste("barcode");

  const content = useMemo(() => kind.contentOf(values), [kind, values]);
  const text = "text" in content ? content.text : "";
  const [logo, setLogo] = useState<Logo>();
  const request = requestFor(text, logo ? { ...options.values, errorCorrection: "high" } : options.values);
  const render = useAnswer(RENDER, text === "" ? undefined : request, TYPING_PAUSE);
  const { outcome, failure, violations } = render;

  // What the URL says, or soon will.
  const linked = useRef(stateOf(parameters.get("data") ?? EXAMPLE_TEXT, optionsOf(parameters)));
  const { set } = options;
  useEffect(() => {
    // A link or the back button changes the text and the options in the URL.
    const data = parameters.get("data");
    const state = data === null ? linked.current : stateOf(data, optionsOf(parameters));
    if (data !== null && !isSame(state, linked.current)) {
      linked.current = state;
      setForm(formOf(data));
      for (const name of OPTIONS) {
        set(name, parameters.get(name) ?? DEFAULTS[name] ?? "");
      }
    }
  }, [parameters, set]);
  const data = kind.linkedText?.(values) ?? text;
  useEffect(() => {
    const state = stateOf(data, options.values);
    if (!isSame(state, linked.current)) {
      linked.current = state;
      replace({ parameters: state });
    }
  }, [data, options.values, replace]);

  const hasLink = linkedHash("barcode", "data", data) !== undefined;
  const image = text === "" ? undefined : render.message?.image;
  const ofData = violations.filter(({ field }) => field === "data");
  return (
    <div hidden={!isShown}>
      <div class="columns">
        <div class="card card-body barcode-form">
          <ContentForm kind={kind} values={values} set={setForm} onPaste={onPaste} />
          {ofData.length > 0 && (
            <p class="wrong">
              {logo !== undefined && ofData.some(({ reason }) => reason === "DATA_DOES_NOT_FIT")
                ? "This is too long for a code with a logo. Shorten it, or remove the logo."
                : ofData.map(({ description }) => sentenceOf(description)).join(" ")}
            </p>
          )}
          <Appearance form={options} violations={violations} logo={logo} setLogo={setLogo} />
          {failure !== undefined && violations.length === 0 && <ErrorView error={failure} />}
        </div>
        <BarcodeImage
          image={image}
          logo={logo}
          request={request}
          isWaiting={text !== "" && outcome === undefined}
          hint={"hint" in content ? content.hint : violations.length > 0 ? "Check the form." : ""}
          fileName={codeFileName(kind, values, !hasLink && kind.linkedText === undefined)}
          hasLink={hasLink}
          linkNote={linkNoteFor([
            ...(kind.linkedText === undefined ? [] : ["password"]),
            ...(logo === undefined ? [] : ["logo"]),
          ])}
        />
      </div>
      {isShown && <ExchangeView {...render} request={request} />}
    </div>
  );
}

/** Says what a link leaves out. */
function linkNoteFor(omitted: readonly string[]): string {
  return omitted.length === 0 ? "" : `The link has everything but the ${omitted.join(" and the ")}.`;
}

/** Creates the request for a text. Omits options with their default, so that snippets are short. */
function requestFor(data: string, values: Values): MessageInitShape<typeof RenderBarcodeRequestSchema> {
  const set = Object.entries(values).filter(([name, value]) => value !== DEFAULTS[name]);
  return requestOf(REQUEST, { ...Object.fromEntries(set), data });
}

interface ContentFormProps {
  readonly kind: ContentKind;
  readonly values: Values;
  readonly set: (form: { readonly kind: ContentKind; readonly values: Values }) => void;
  /** Called with what is pasted into a link. */
  readonly onPaste: (event: ClipboardEvent) => void;
}

/** The kind of content, and the form of that kind. */
function ContentForm({ kind, values, set, onPaste }: ContentFormProps) {
  return (
    <>
      <fieldset class="field">
        <legend class="off-screen">Content</legend>
        <Choices
          class="row choices barcode-kinds"
          choices={KINDS.map((each) => [each.id, each.title])}
          value={kind.id}
          set={(id) => set({ kind: KINDS.find((each) => each.id === id) ?? kind, values })}
        />
      </fieldset>
      {kind.inputs.map((input) =>
        input.name === "password" && values.security === "nopass" ? null : (
          <InputField
            key={`${kind.id}-${input.name}`}
            input={input}
            value={values[input.name] ?? ""}
            set={(value) => set({ kind, values: { ...values, [input.name]: value } })}
            onPaste={kind.id === "link" ? onPaste : undefined}
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

/** What a logo covers must be repaired. */
const CORRECTION_WITH_LOGO: ContentInput = { ...CORRECTION, choices: [["high", "30 %"]] };

const COLORS: readonly ContentInput[] = [
  { name: "foreground", label: "Foreground", control: "color" },
  { name: "background", label: "Background", control: "color" },
];

interface AppearanceProps {
  readonly form: Form<typeof RenderBarcodeRequestSchema>;
  readonly violations: readonly InvalidField[];
  readonly logo: Logo | undefined;
  readonly setLogo: (logo: Logo | undefined) => void;
}

/** The options of the image. */
function Appearance({ form, violations, logo, setLogo }: AppearanceProps) {
  const { values, set } = form;
  const isOfOption = violations.some(({ field }) => field !== "data");
  const ofColors = violations.filter(({ field }) => field === "foreground" || field === "background");
  return (
    <details class="fold" open={isOfOption ? true : undefined}>
      <summary>Logo, size and colors</summary>
      <div class="fold-body">
        <LogoField logo={logo} set={setLogo} />
        <div class="fields">
          <FormField form={form} name="size" help="In pixels, 64 to 2048." violations={violations} />
          <FormField form={form} name="margin" help="In modules, 4 or more." violations={violations} />
        </div>
        <div class="fields">
          {COLORS.map((input) => (
            <InputField
              key={input.name}
              input={input}
              value={values[input.name] ?? ""}
              set={(value) => set(input.name, value)}
            />
          ))}
        </div>
        {ofColors.length > 0 && (
          <p class="wrong" role="status">
            {ofColors.map(({ description }) => `The foreground ${description}.`).join(" ")}
          </p>
        )}
        <InputField
          input={logo === undefined ? CORRECTION : CORRECTION_WITH_LOGO}
          value={logo === undefined ? (values.errorCorrection ?? "") : "high"}
          set={(value) => set("errorCorrection", value)}
        />
        <p class="help">
          {logo === undefined
            ? "How much of the code can be dirty or covered. More makes the code larger."
            : "A code with a logo needs the highest: the logo covers a part of it."}
        </p>
      </div>
    </details>
  );
}
