import { percentEncode } from "./percent-encode.js";

/** Where bar codes are rendered, below the base URL of this service. */
const BARCODE_PATH = "/v1/barcode";

/**
 * The absolute URL of a QR code of a text.
 *
 * @param baseUrl scheme and authority of this service, no final slash
 * @param text well-formed Unicode; a lone surrogate throws a URIError
 */
export function qrcodeUrl(baseUrl: string, text: string): string {
  return `${baseUrl}${BARCODE_PATH}?type=qr_code&data=${percentEncode(text)}`;
}
