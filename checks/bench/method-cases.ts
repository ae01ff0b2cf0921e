import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { BarcodeFormat, BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import { CountriesService } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { loadCountries } from "../../test/data/load-countries.js";
import { ADDRESSES, type BenchCase, DEFAULT, SECRETS } from "./cases.js";
import { PROTOCOLS, requestsOf } from "./workloads.js";

/** Half as many again as the responses that the service caches. */
const LOOKUPS = 6000;
const COUNT = 1000;
const BATCH_SIZE = 100;

const addresses = ADDRESSES.slice(0, 1.5 * LOOKUPS);
const batches = Array.from({ length: LOOKUPS / BATCH_SIZE }, (_, index) => ({
  ipAddresses: addresses.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE),
}));
const countries = loadCountries();
const numbers = Array.from({ length: COUNT }, (_, index) => index);
const secrets = SECRETS.map((secret) => ({ secret }));
const accounts = numbers.map((index) => ({ label: `jane.${index}@example.com`, issuer: "Example" }));
const codes = countries.map(({ code2 }) => ({ country: code2 }));
const names = new Set(countries.flatMap(({ name, capital }) => [name.slice(0, 4), capital]));
const queries = [...names].filter((text) => text !== "").map((query) => ({ query }));
const emails = numbers.map((index) => ({ email: `Jane.${index}+news@GoogleMail.com` }));
const svgs = numbers.map((index) => ({ data: `https://example.com/items/${index * 7919}` }));
const pngs = svgs.map((each) => ({ ...each, format: BarcodeFormat.PNG }));

/** A method in every protocol with messages, of which `count` are used; the others may fail. */
function inEveryProtocol<M extends DescMethodUnary>(
  name: string,
  method: M,
  messages: readonly MessageInitShape<M["input"]>[],
  count = messages.length,
): BenchCase[] {
  return PROTOCOLS.map((protocol) => ({
    name: `${name}:${protocol}`,
    title: `${name} over ${protocol}`,
    contestants: [DEFAULT],
    ...requestsOf(method, messages, protocol),
    count,
    contentOf: (body) => body.toString("latin1"),
  }));
}

const { lookupIp, batchLookupIps } = GeoIpService.method;
const { listCountries, getCountry, searchCountries } = CountriesService.method;
const { verifyOtp, generateOtp } = OtpService.method;
const { renderBarcode } = BarcodeService.method;
const look = (view: LookupView) => addresses.map((ipAddress) => ({ ipAddress, view }));

/** Every method in every protocol, of our server only. The names are `<method>:<protocol>`. */
export const METHOD_CASES: readonly BenchCase[] = [
  inEveryProtocol("geoIp", lookupIp, look(LookupView.BASIC), LOOKUPS),
  inEveryProtocol("geoIpFull", lookupIp, look(LookupView.FULL), LOOKUPS),
  inEveryProtocol("geoIpBatch", batchLookupIps, batches),
  inEveryProtocol("otpVerify", verifyOtp, secrets),
  inEveryProtocol("otpGenerate", generateOtp, accounts),
  inEveryProtocol("countries", listCountries, [{}]),
  inEveryProtocol("country", getCountry, codes),
  inEveryProtocol("search", searchCountries, queries),
  inEveryProtocol("email", EmailService.method.sanitizeEmail, emails),
  inEveryProtocol("barcodeSvg", renderBarcode, svgs),
  inEveryProtocol("barcodePng", renderBarcode, pngs),
].flat();
