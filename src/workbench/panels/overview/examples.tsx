import type { DescMessage, DescMethodUnary, MessageShape } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { SERVICES } from "../../../../gen/services.js";
import { BlobImage } from "../../kit/blob-image.js";

/** A tool with a method of which the overview shows an answer. The request is the one that the schema has as its example. */
export interface ToolExample {
  /** The panel of the tool. */
  readonly panelId: string;
  readonly title: string;
  readonly method: DescMethodUnary;
  /** What of the answer says most. */
  readonly show: (message: MessageShape<DescMessage>) => ComponentChildren;
}

/** Makes an example of a method whose types fit together. */
function example<Input extends DescMessage, Output extends DescMessage>(
  panelId: string,
  title: string,
  method: DescMethodUnary<Input, Output>,
  show: (message: MessageShape<Output>) => ComponentChildren,
): ToolExample {
  // What is shown is only ever an answer of that method.
  return { panelId, title, method, show: (message) => show(message as MessageShape<Output>) };
}

/** One example a tool, in the order of the overview. */
export const EXAMPLES: readonly ToolExample[] = [
  example("otp", "One-time passwords", SERVICES.otp.method.verifyOtp, ({ otpCodes }) => (
    <span class="code">{otpCodes?.current}</span>
  )),
  example("geoip", "Geo IP", SERVICES.geoIp.method.lookupIp, ({ metadata }) =>
    [metadata?.location?.country, metadata?.asnName, metadata?.subnet].filter(Boolean).join(" · "),
  ),
  example("countries", "Countries", SERVICES.countries.method.getCountry, ({ country }) =>
    [country?.name, country?.capital, country?.currencies[0]?.code].filter(Boolean).join(" · "),
  ),
  example("email", "E-mail", SERVICES.email.method.sanitizeEmail, ({ email }) => email),
  example("barcode", "Bar code", SERVICES.barcode.method.renderBarcode, ({ image }) => (
    <BlobImage body={image} alt="The QR code" />
  )),
];
