import { serveWork } from "../../list/work/serve-work.js";
import {
  BARCODE_COLUMNS,
  type BarcodeResult,
  barcodeAnswer,
  barcodeRequest,
  writeSheet,
} from "./barcode-answers.js";

serveWork({
  method: "BarcodeService/RenderBarcode",
  isSingle: true,
  requestOf: barcodeRequest,
  answersOf: (response: BarcodeResult, received) => [barcodeAnswer(response, received)],
  itemName: "text",
  isAnyText: true,
  // The digits that the largest code holds.
  maxLength: 7_089,
  columns: BARCODE_COLUMNS,
  writeSheet,
  // A table of other texts needs a header.
  looksRight: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text),
  columnName: /^(url|uri|link|website|text|data|content|code|qr[ _-]?code)$/i,
  isWholeLine: true,
});
