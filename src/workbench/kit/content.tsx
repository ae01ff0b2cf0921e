import { useEffect, useState } from "preact/hooks";
import { serviceComment } from "../schema/schema.js";
import { useDocumentTitle } from "./title.js";

/** A text with `code` in backquotes, as in comments of the schema. */
export function Prose({ text }: { readonly text: string }) {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

interface PanelHeadingProps {
  readonly title: string;
  readonly service: Parameters<typeof serviceComment>[0];
  /** Replaces the schema's comment on the service. */
  readonly about?: string;
  /** What the panel shows, for the title of the document. Never a secret. */
  readonly value?: string;
}

/** The heading of a panel with the schema's comment on its service. */
export function PanelHeading({
  title,
  service,
  about = serviceComment(service),
  value = "",
}: PanelHeadingProps) {
  useDocumentTitle(title, value);
  return (
    <div class="panel-heading">
      <h1>{title}</h1>
      <p>
        <Prose text={about} />
      </p>
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

/** An image in JSON. */
export interface ImageBody {
  readonly contentType: string;
  /** In Base64. */
  readonly data: string;
}

/** Returns an image as a file. The Content-Security-Policy allows no `data:` URLs. */
export function blobOf({ contentType, data }: ImageBody): Blob {
  return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], {
    type: contentType,
  });
}

/** Returns a `blob:` URL of an image, revoked when the component unmounts or the image changes. */
export function useBlobUrl(body: ImageBody | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (body === undefined) {
      setUrl(undefined);
      return;
    }
    const made = URL.createObjectURL(blobOf(body));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [body]);
  return url;
}

/** An image from a response; an empty frame without one. */
export function BlobImage({ body, alt }: { readonly body: ImageBody | undefined; readonly alt: string }) {
  const url = useBlobUrl(body);
  return url === undefined ? <div class="qr" /> : <img class="qr" src={url} alt={alt} />;
}
