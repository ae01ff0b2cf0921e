import { client } from "../../../../../checks/clients/openapi/typescript/hey-api/client/client.gen.js";
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
} from "../../../../../checks/clients/openapi/typescript/hey-api/client/index.js";
import { ACCOUNT, ADDRESSES, EMAIL, KEY, mustHave, QR_CODE, QUERY, report, URL } from "../report.js";

// Calls every operation with the functions that @hey-api/openapi-ts generates. They send `auth` where the document requires a
// key.

client.setConfig({ baseUrl: URL, auth: KEY, headers: { "x-forwarded-for": "8.8.8.8" } });

const { data: generated } = await otp({ body: { type: "time_based", action: "generate", ...ACCOUNT } });
if (generated === undefined || !("otp_url" in generated)) {
  throw new TypeError("no secret");
}
const { secret, digits } = generated;
const { data: verified } = await otp({ body: { type: "time_based", action: "verify", secret, digits } });
if (verified === undefined || !("otp_codes" in verified)) {
  throw new TypeError("no codes");
}

const list = await countries();
const france = await countries({ query: { country: "fr" } });
if (!Array.isArray(list.data) || france.data === undefined || Array.isArray(france.data)) {
  throw new TypeError("no countries");
}

const image = async (format: "svg" | "png") => {
  const { data } = await barcodeRenderBarcode({ query: { ...QR_CODE, format } });
  return mustHave(data).arrayBuffer();
};

report({
  generated,
  verified,
  list: list.data,
  france: france.data,
  matches: mustHave((await countriesSearchCountries({ query: QUERY })).data),
  located: mustHave((await geoIpLookupIp({ query: { ip_address: "8.8.8.8" } })).data),
  self: mustHave((await geoIpLookupSelf({ query: { view: "full" } })).data),
  batch: mustHave((await geoIpBatchLookupIps({ body: { ip_addresses: ADDRESSES } })).data),
  asText: mustHave((await emailSanitizeEmail({ body: { email: EMAIL } })).data),
  asJson: mustHave((await emailSanitizeEmail({ body: { email: EMAIL, format: "json" } })).data),
  explained: mustHave((await emailExplainEmail({ body: { email: EMAIL } })).data),
  sanitized: mustHave((await emailBatchSanitizeEmails({ body: { emails: [EMAIL, "nobody"] } })).data),
  svg: await image("svg"),
  png: await image("png"),
  about: mustHave((await aboutGetAbout()).data),
  reserved: mustHave((await geoIpLookupIp({ query: { ip_address: "10.0.0.1" } })).error),
  invalid: mustHave((await emailExplainEmail({ body: { email: "nobody" } })).error),
});
