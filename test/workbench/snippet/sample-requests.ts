import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { SERVICES } from "@utility-tools/protos/services.js";
import { BarcodeFormat } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { exampleValues, requestOf } from "../../../src/workbench/kit/form/request.js";
import { describeMessage } from "../schema/describe-schema.js";

/** A request with a name for the test. */
export interface SampleRequest {
  readonly name: string;
  readonly method: DescMethodUnary;
  readonly message: MessageShape<DescMessage>;
}

function sample<Input extends DescMessage>(
  what: string,
  method: DescMethodUnary<Input>,
  init: MessageInitShape<Input>,
): SampleRequest {
  return { name: `${method.name}: ${what}`, method, message: create(method.input, init) };
}

/** All methods of all services. */
export const METHODS: readonly DescMethodUnary[] = Object.values<DescService>(SERVICES)
  .flatMap(({ methods }) => methods)
  .filter((method): method is DescMethodUnary => method.methodKind === "unary");

/** One request per method, with the examples of the schema. */
export const EXAMPLES: readonly SampleRequest[] = METHODS.map((method) =>
  sample(
    "example",
    method,
    requestOf(describeMessage(method.input), exampleValues(describeMessage(method.input))),
  ),
);

/** Characters with a meaning in shells, URLs, JSON or JavaScript. */
const NASTY = `'"\`$(id) $HOME \${x} \\n \\ !! & ? # % + = ; | <b> {a,b} [0-9] * ~ é 中 😀`;
const CONTROLS = "a\nb\r\tc\u0001\u007f\u202e\u2028d";

const { barcode, countries, email, geoIp, otp } = SERVICES;

/** Texts that are hard to quote, and fields of every kind. */
export const NASTY_REQUESTS: readonly SampleRequest[] = [
  sample("nasty label", otp.method.generateOtp, { label: NASTY, issuer: "'", digits: 8 }),
  sample("spaces and padding", otp.method.verifyOtp, { secret: "jbsw y3dp ehpk 3pxp jb== ====" }),
  sample("nasty data", barcode.method.renderBarcode, { data: NASTY, format: BarcodeFormat.PNG }),
  sample("controls", barcode.method.renderBarcode, { data: CONTROLS }),
  sample("an at sign first", barcode.method.renderBarcode, { data: "@/etc/passwd" }),
  sample("IPv6", geoIp.method.lookupIp, { ipAddress: "2001:4860:4860::8888" }),
  sample("several", geoIp.method.batchLookupIps, { ipAddresses: ["8.8.8.8", "'; id #", "10.0.0.1", "::1"] }),
  sample("nasty", email.method.sanitizeEmail, { email: `"it's $(id) \\\\ \`"@münchen.de` }),
  sample("nasty items", email.method.batchSanitizeEmails, { emails: [NASTY, CONTROLS, "a@b.example"] }),
  sample("lower case", countries.method.getCountry, { country: "fra" }),
];

/** Requests that the service rejects. */
export const REJECTED: readonly SampleRequest[] = [
  sample("nasty address", geoIp.method.lookupIp, { ipAddress: NASTY }),
  sample("reserved", geoIp.method.lookupIp, { ipAddress: "10.0.0.1" }),
  sample("nothing", barcode.method.renderBarcode, {}),
  sample("digits", otp.method.generateOtp, { digits: 7 }),
  sample("unknown", countries.method.getCountry, { country: "ZZ" }),
];
