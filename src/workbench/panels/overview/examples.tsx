import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import type { ComponentChildren } from "preact";
import { BlobImage } from "../../kit/blob-image.js";

/** A method of which the overview shows an answer. The request is the one that the schema has as its example. */
export interface ToolExample {
  /** The panel of the tool. */
  readonly panelId: string;
  readonly method: DescMethodUnary;
  /** What of the answer says most. */
  readonly show: (message: MessageShape<DescMessage>) => ComponentChildren;
}

/** Makes an example of a method whose types fit together. */
function example<Input extends DescMessage, Output extends DescMessage>(
  panelId: string,
  method: DescMethodUnary<Input, Output>,
  show: (message: MessageShape<Output>) => ComponentChildren,
): ToolExample {
  // What is shown is only ever an answer of that method.
  return { panelId, method, show: (message) => show(message as MessageShape<Output>) };
}

/** One example a panel. */
export const EXAMPLES: readonly ToolExample[] = [
  example("otp", SERVICES.otp.method.verifyOtp, ({ otpCodes }) => (
    <span class="code">{otpCodes?.current}</span>
  )),
  example("geoip", SERVICES.geoIp.method.lookupIp, ({ metadata }) =>
    [metadata?.location?.country, metadata?.asnName, metadata?.subnet].filter(Boolean).join(" · "),
  ),
  example("countries", SERVICES.countries.method.getCountry, ({ country }) =>
    [country?.name, country?.capital, country?.currencies[0]?.code].filter(Boolean).join(" · "),
  ),
  example("email", SERVICES.email.method.sanitizeEmail, ({ email }) => email),
  example("barcode", SERVICES.barcode.method.renderBarcode, ({ image }) => (
    <BlobImage body={image} alt="The QR code" />
  )),
];
