import createClient from "openapi-fetch";
import type { paths } from "../../../../../checks/clients/openapi/typescript/openapi-fetch/schema.js";
import { ACCOUNT, ADDRESSES, EMAIL, KEY, mustHave, QR_CODE, QUERY, report, URL } from "../report.js";

// Calls every operation with openapi-fetch and the types of openapi-typescript.

const client = createClient<paths>({
  baseUrl: URL,
  headers: { authorization: `Bearer ${KEY}`, "x-forwarded-for": "8.8.8.8" },
});

const { data: generated } = await client.POST("/v1/otp", {
  body: { type: "time_based", action: "generate", ...ACCOUNT },
});
if (generated === undefined || !("otp_url" in generated)) {
  throw new TypeError("no secret");
}
const { secret, digits } = generated;
const { data: verified } = await client.POST("/v1/otp", {
  body: { type: "time_based", action: "verify", secret, digits },
});
if (verified === undefined || !("otp_codes" in verified)) {
  throw new TypeError("no codes");
}

const list = await client.GET("/v1/countries");
const france = await client.GET("/v1/countries", { params: { query: { country: "fr" } } });
if (!Array.isArray(list.data) || france.data === undefined || Array.isArray(france.data)) {
  throw new TypeError("no countries");
}

const lookUp = (ip_address: string) => client.GET("/v1/geoIp", { params: { query: { ip_address } } });
const image = async (format: "svg" | "png") => {
  const query = { ...QR_CODE, format };
  return mustHave((await client.GET("/v1/barcode", { params: { query }, parseAs: "arrayBuffer" })).data);
};

report({
  generated,
  verified,
  list: list.data,
  france: france.data,
  matches: mustHave((await client.GET("/v1/countries:search", { params: { query: QUERY } })).data),
  located: mustHave((await lookUp("8.8.8.8")).data),
  self: mustHave((await client.GET("/v1/geoIp/self", { params: { query: { view: "full" } } })).data),
  batch: mustHave((await client.POST("/v1/geoIp:batch", { body: { ip_addresses: ADDRESSES } })).data),
  asText: mustHave(
    (await client.POST("/v1/sanitizeEmail", { body: { email: EMAIL }, parseAs: "text" })).data,
  ),
  asJson: mustHave((await client.POST("/v1/sanitizeEmail", { body: { email: EMAIL, format: "json" } })).data),
  explained: mustHave((await client.POST("/v1/sanitizeEmail:explain", { body: { email: EMAIL } })).data),
  sanitized: mustHave(
    (await client.POST("/v1/sanitizeEmail:batch", { body: { emails: [EMAIL, "nobody"] } })).data,
  ),
  svg: await image("svg"),
  png: await image("png"),
  about: mustHave((await client.GET("/v1/about")).data),
  reserved: mustHave((await lookUp("10.0.0.1")).error),
  invalid: mustHave((await client.POST("/v1/sanitizeEmail:explain", { body: { email: "nobody" } })).error),
});
