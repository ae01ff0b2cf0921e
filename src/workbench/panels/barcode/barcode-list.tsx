import type { MessageInitShape } from "@bufbuild/protobuf";
import type { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { useMemo } from "preact/hooks";
import { ListLookup } from "../../list/list-lookup.js";
import type { ListColumn, ListTool } from "../../list/list-tool.js";
import { methodAt } from "../../schema/method.js";
import { type BARCODE_COLUMNS, MAX_ON_SHEET, shapeOf } from "./barcode-answers.js";

type Render = typeof BarcodeService.method.renderBarcode;

/** `BarcodeFormat.TEXT`. The enum itself would load the schema. */
const TEXT_FORMAT = 3;

/** The codes of texts. */
const BARCODES: ListTool = {
  startWorker: () => new Worker(new URL("./barcode-worker.ts", import.meta.url), { type: "module" }),
  id: "barcode",
  method: methodAt<Render>("BarcodeService/RenderBarcode"),
  label: "Texts or links",
  help: `A table needs a header. A sheet to print has up to ${MAX_ON_SHEET.toLocaleString("en")} codes.`,
  hasSheet: true,
  requestOf: ([data = ""]) =>
    ({ data, format: TEXT_FORMAT, margin: 0 }) satisfies MessageInitShape<Render["input"]>,
  kinds: { code: "with a code", invalid: "invalid" },
  shown: {
    modules: {
      label: "Code",
      show: (modules, { drawing = "" }) => (
        <span class="cell">
          <Drawing drawing={drawing} />
          {modules} × {modules} modules
        </span>
      ),
    },
    version: { label: "Version" },
  } satisfies Partial<Record<(typeof BARCODE_COLUMNS)[number], ListColumn>>,
  examples: ["https://example.com/", "Table 1, by the window", "tel:+15550100"],
  action: "Make codes",
  inputLabel: "Text",
};

/** Makes a code for each text of a list. */
export function BarcodeList({ isShown }: { readonly isShown: boolean }) {
  return <ListLookup tool={BARCODES} isShown={isShown} />;
}

/** A small picture of a code. */
function Drawing({ drawing }: { readonly drawing: string }) {
  const { viewBox, path } = useMemo(() => shapeOf(drawing), [drawing]);
  return (
    <svg
      class="barcode-drawing"
      viewBox={viewBox}
      shape-rendering="crispEdges"
      role="img"
      aria-label="QR code"
    >
      <path d={path} />
    </svg>
  );
}
