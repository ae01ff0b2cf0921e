import {
  aboutGetAbout,
  barcodeRenderBarcode,
  countries,
  countriesSearchCountries,
  emailBatchSanitizeEmails,
  emailExplainEmail,
  emailSanitizeEmail,
  geoIpBatchLookupIps,
  geoIpLookupIp,
  geoIpLookupSelf,
  otp,
} from "../../../../../checks/clients/openapi/typescript/orval/client.js";
import { ACCOUNT, ADDRESSES, EMAIL, KEY, QR_CODE, QUERY, report } from "../report.js";

// Calls every operation with the functions that orval generates. The union of their responses is discriminated by the status.

const options = { headers: { authorization: `Bearer ${KEY}`, "x-forwarded-for": "8.8.8.8" } };

/** Returns the data of a response with a status. */
function dataOf<Response extends { status: number; data: unknown }, Status extends number>(
  response: Response,
  status: Status,
): Extract<Response, { status: Status }>["data"] {
  if (response.status !== status) {
    throw new TypeError(`the status is ${response.status}`);
  }
  return response.data;
}

const generated = dataOf(await otp({ type: "time_based", action: "generate", ...ACCOUNT }, options), 200);
if (!("otp_url" in generated)) {
  throw new TypeError("no secret");
}
const { secret, digits } = generated;
const verified = dataOf(await otp({ type: "time_based", action: "verify", secret, digits }, options), 200);
if (!("otp_codes" in verified)) {
  throw new TypeError("no codes");
}

const list = dataOf(await countries(undefined, options), 200);
const france = dataOf(await countries({ country: "fr" }, options), 200);
if (!Array.isArray(list) || Array.isArray(france)) {
  throw new TypeError("no countries");
}

const image = async (format: "svg" | "png") =>
  dataOf(await barcodeRenderBarcode({ ...QR_CODE, format }, options), 200).arrayBuffer();

report({
  generated,
  verified,
  list,
  france,
  matches: dataOf(await countriesSearchCountries(QUERY, options), 200),
  located: dataOf(await geoIpLookupIp({ ip_address: "8.8.8.8" }, options), 200),
  self: dataOf(await geoIpLookupSelf({ view: "full" }, options), 200),
  batch: dataOf(await geoIpBatchLookupIps({ ip_addresses: ADDRESSES }, options), 200),
  asText: dataOf(await emailSanitizeEmail({ email: EMAIL }, options), 200),
  asJson: dataOf(await emailSanitizeEmail({ email: EMAIL, format: "json" }, options), 200),
  explained: dataOf(await emailExplainEmail({ email: EMAIL }, options), 200),
  sanitized: dataOf(await emailBatchSanitizeEmails({ emails: [EMAIL, "nobody"] }, options), 200),
  svg: await image("svg"),
  png: await image("png"),
  about: dataOf(await aboutGetAbout(options), 200),
  reserved: dataOf(await geoIpLookupIp({ ip_address: "10.0.0.1" }, options), 404),
  invalid: dataOf(await emailExplainEmail({ email: "nobody" }, options), 400),
});
