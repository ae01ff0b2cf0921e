import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RenderBarcodeRequestSchema } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { useEffect, useMemo, useState } from "preact/hooks";
import { AnswerPlace } from "../../kit/answers/answer-place.js";
import { CopyLinkButton } from "../../kit/copy.js";
import { blobOf, type ImageBody, useBlobUrl } from "../../kit/image.js";
import { useSession } from "../../kit/session.js";
import { saveFile } from "../../list/save-file.js";
import { toJsonNames } from "../../schema/method.js";
import type { Logo } from "./logo.js";

interface BarcodeImageProps {
  /** The image in SVG; undefined without a code. */
  readonly image: ImageBody | undefined;
  /** The picture for the middle of the code. */
  readonly logo: Logo | undefined;
  /** The request of the image. */
  readonly request: MessageInitShape<typeof RenderBarcodeRequestSchema>;
  /** Whether the image of the current content is not there yet. */
  readonly isWaiting: boolean;
  /** What to show without an image. */
  readonly hint: string;
  /** The name of the file without its extension. */
  readonly fileName: string;
  /** Whether the URL of the page leads to the code. */
  readonly hasLink: boolean;
  /** What the link leaves out; "" if it has everything. */
  readonly linkNote: string;
}

/** The code, and what can be done with it. */
export function BarcodeImage(props: BarcodeImageProps) {
  const { image, logo, request, isWaiting, hint, fileName, hasLink, linkNote } = props;
  const svg = useMemo(() => image && atob(image.data), [image]);
  const file = useMemo(
    () => svg && new Blob([logo ? logo.addTo(svg) : svg], { type: "image/svg+xml" }),
    [svg, logo],
  );
  const url = useBlobUrl(file || undefined);
  const isUnreadable = useReading(logo, file || undefined, request.data ?? "");
  const { callJson, announce } = useSession();
  const [feedback, setFeedback] = useState("");
  // A result belongs to the image that was copied.
  useEffect(() => setFeedback(""), [file]);

  const renderPng = async (): Promise<Blob> => {
    if (svg !== undefined && logo !== undefined) {
      return logo.drawOn(svg);
    }
    const png = { ...toJsonNames(request), format: "BARCODE_FORMAT_PNG" };
    const signal = new AbortController().signal;
    const result = await callJson<{ readonly image: ImageBody }>("BarcodeService/RenderBarcode", png, signal);
    if (!result.ok) {
      throw new Error("the service returned no image");
    }
    return blobOf(result.value.image);
  };
  const report = async (done: Promise<unknown>, success: string, failure: string) => {
    const text = await done.then(
      () => success,
      () => failure,
    );
    setFeedback(text);
    announce(text);
  };
  const copy = () =>
    // With a promise, because Safari allows to write only at once after the click.
    report(
      navigator.clipboard.write([new ClipboardItem({ "image/png": renderPng() })]),
      "Image copied.",
      "The image could not be copied. Download it instead.",
    );
  const downloadPng = () =>
    report(
      renderPng().then((png) => saveFile(png, `${fileName}.png`)),
      "PNG downloaded.",
      "The image could not be downloaded. Try again.",
    );
  return (
    <section class="card card-body" aria-label="QR code">
      <AnswerPlace isWaiting={isWaiting}>
        <div class="barcode">
          {url === undefined ? (
            <p class="barcode-image barcode-hint soft">{hint}</p>
          ) : (
            <img class="qr barcode-image" src={url} alt="The QR code" />
          )}
          {isUnreadable && (
            <p class="wrong" role="alert">
              A reader does not find the code with this logo, which may look like the squares in the corners.
              Choose another picture.
            </p>
          )}
          {url !== undefined && (
            <>
              <div class="actions">
                <a class="button" href={url} download={`${fileName}.svg`}>
                  Download SVG
                </a>
                <button type="button" onClick={downloadPng}>
                  Download PNG
                </button>
              </div>
              <div class="actions">
                {/* Browsers have no clipboard for images on pages without TLS. */}
                {navigator.clipboard?.write !== undefined && typeof ClipboardItem !== "undefined" && (
                  <button type="button" class="quiet" onClick={copy}>
                    Copy image
                  </button>
                )}
                {hasLink && <CopyLinkButton />}
              </div>
              {hasLink && linkNote !== "" && <p class="help">{linkNote}</p>}
              {feedback !== "" && <p class="help">{feedback}</p>}
            </>
          )}
        </div>
      </AnswerPlace>
    </section>
  );
}

/** Reads the image of a code with a logo, and returns whether that fails. */
function useReading(logo: Logo | undefined, image: Blob | undefined, text: string): boolean {
  const [isUnreadable, setUnreadable] = useState(false);
  useEffect(() => {
    setUnreadable(false);
    let isCurrent = image !== undefined;
    if (image !== undefined) {
      void logo?.isRead(image, text).then((isRead) => isCurrent && setUnreadable(!isRead));
    }
    return () => {
      isCurrent = false;
    };
  }, [logo, image]);
  return isUnreadable;
}
