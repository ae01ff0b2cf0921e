import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromJson,
  type MessageInitShape,
  toJson,
} from "@bufbuild/protobuf";
import { BarcodeService } from "@utility-tools/protos/utilitytools/v1/barcode_pb.js";
import {
  CountriesService,
  GetCountryResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { EmailService } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { GeoIpService, LookupIpResponseSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import {
  OtpService,
  VerifyOtpRequestSchema,
  VerifyOtpResponseSchema,
} from "@utility-tools/protos/utilitytools/v1/otp_pb.js";

/** A request to measure, the answer of its method as a handler gives it, and how one would read and write them by hand. */
export interface BenchRequest {
  readonly name: string;
  readonly verb: string;
  readonly target: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  readonly answer: MessageInitShape<DescMessage>;
  /** The same request and answer without routes, names to check or errors to gather. */
  readonly byHand: (body: Uint8Array) => unknown;
}

/** The methods of the five tools. */
export const REAL_METHODS: readonly DescMethodUnary[] = [
  OtpService,
  CountriesService,
  GeoIpService,
  EmailService,
  BarcodeService,
].flatMap(({ methods }) => methods as readonly DescMethodUnary[]);

const NOTHING = new Uint8Array();
const text = (value: string) => new TextEncoder().encode(value);
const decoder = new TextDecoder();

const verifyOtp: MessageInitShape<typeof VerifyOtpResponseSchema> = {
  algorithm: "SHA1",
  digits: 6,
  otpCodes: { next: "123456", current: "234567", previous: "345678", secondPrevious: "456789" },
  period: 30,
  secret: "JBSWY3DPEHPK3PXP",
  type: "totp",
};

const lookupIp: MessageInitShape<typeof LookupIpResponseSchema> = {
  ip: "8.8.8.8",
  metadata: {
    location: { country: "US", eu: false },
    asn: 15169,
    asnName: "Google LLC",
    coords: { lat: 37.422, lon: -122.085 },
    ip: "8.8.8.8",
    subnet: "8.8.8.0/24",
  },
};

const country: MessageInitShape<typeof GetCountryResponseSchema> = {
  country: {
    code2: "LI",
    code3: "LIE",
    name: "Liechtenstein",
    capital: "Vaduz",
    region: "Europe",
    states: Array.from({ length: 11 }, (_, index) => ({
      code: `LI-${index + 1}`,
      name: `Gemeinde ${index + 1}`,
    })),
  },
};

const geoIp = create(LookupIpResponseSchema, lookupIp);
const otp = create(VerifyOtpResponseSchema, verifyOtp);
const detail = create(GetCountryResponseSchema, country);
const image = text("<svg/>".repeat(200));
/** How protobuf-es writes what the engine writes. */
export const ALL_FIELDS = { alwaysEmitImplicit: true } as const;

/** One request for each of the five tools. */
export const REAL_REQUESTS: readonly BenchRequest[] = [
  {
    name: "GET geoIp",
    verb: "GET",
    target: "/v1/geoIp?ip_address=8.8.8.8",
    contentType: undefined,
    body: NOTHING,
    answer: lookupIp,
    byHand: () => [
      new URLSearchParams("ip_address=8.8.8.8").get("ip_address"),
      JSON.stringify(toJson(LookupIpResponseSchema, geoIp, ALL_FIELDS)),
    ],
  },
  {
    name: "POST otp, JSON",
    verb: "POST",
    target: "/v1/otp",
    contentType: "application/json",
    body: text('{"type":"time_based","action":"verify","secret":"JBSWY3DPEHPK3PXP","digits":6}'),
    answer: verifyOtp,
    byHand: (body) => [
      fromJson(VerifyOtpRequestSchema, JSON.parse(decoder.decode(body)), { ignoreUnknownFields: true }),
      JSON.stringify(toJson(VerifyOtpResponseSchema, otp, ALL_FIELDS)),
    ],
  },
  {
    name: "POST sanitizeEmail, form",
    verb: "POST",
    target: "/v1/sanitizeEmail",
    contentType: "application/x-www-form-urlencoded",
    body: text("email=Jane.Doe%2Bnews%40GoogleMail.com"),
    answer: { email: "janedoe@gmail.com" },
    byHand: (body) => new URLSearchParams(decoder.decode(body)).get("email"),
  },
  {
    name: "GET countries?country=LI",
    verb: "GET",
    target: "/v1/countries?country=LI",
    contentType: undefined,
    body: NOTHING,
    answer: country,
    byHand: () => [
      new URLSearchParams("country=LI").get("country"),
      JSON.stringify(toJson(GetCountryResponseSchema, detail, ALL_FIELDS)),
    ],
  },
  {
    name: "GET barcode",
    verb: "GET",
    target: "/v1/barcode?type=qr_code&data=https%3A%2F%2Fexample.com%2F",
    contentType: undefined,
    body: NOTHING,
    answer: { image: { contentType: "image/svg+xml", data: image } },
    byHand: () => [new URLSearchParams("type=qr_code&data=https%3A%2F%2Fexample.com%2F").get("data"), image],
  },
];
