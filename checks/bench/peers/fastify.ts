import { GeoIpService, LookupView } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { OtpService } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { type FastifyInstance, fastify } from "fastify";
import type { Tool } from "../../../src/tools/tool.js";
import { geoIpBatchBody, geoIpBody, otpBody } from "./bodies.js";
import { peerHandler } from "./handlers.js";
import { TLS } from "./listen.js";

const string = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };
const record = (properties: Record<string, object>) => ({ type: "object", properties });

const exactly = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  ...record(properties),
  required,
  additionalProperties: false,
});

const IP_RESULT = record({
  ip: string,
  metadata: record({
    location: record({ country: string, eu: { type: "boolean" } }),
    asn: integer,
    asn_name: string,
    coords: record({ lat: number, lon: number }),
    ip: string,
    subnet: string,
  }),
});

const GEO_IP = { querystring: exactly({ ip_address: string }), response: { 200: IP_RESULT } };

const GEO_IP_BATCH = {
  body: exactly({ ip_addresses: { type: "array", minItems: 1, maxItems: 1000, items: string } }),
  response: {
    200: record({
      results: {
        type: "array",
        items: record({
          input: string,
          answer: IP_RESULT,
          error: record({
            code: string,
            reason: string,
            message: string,
            metadata: { type: "object", additionalProperties: string },
          }),
        }),
      },
    }),
  },
};

const OTP = {
  querystring: exactly({ type: { const: "time_based" }, action: { const: "verify" } }),
  body: exactly({ secret: string, digits: { type: "integer", enum: [6, 8] } }, ["secret"]),
  response: {
    200: record({
      algorithm: string,
      digits: integer,
      otp_codes: record({ "+30s": string, current: string, "-30s": string, "-60s": string }),
      period: integer,
      secret: string,
      type: string,
    }),
  },
};

/**
 * Fastify with schemas for requests and responses, so that it compiles its validation and uses fast-json-stringify. No
 * logger.
 */
export function startFastify(tools: readonly Tool[]): Promise<string> {
  const options = { logger: false } as const;
  return listen(TLS === undefined ? fastify(options) : fastify({ ...options, https: TLS }), tools);
}

/** The same over HTTP/2. */
export function startFastifyHttp2(tools: readonly Tool[]): Promise<string> {
  const options = { logger: false, http2: true } as const;
  const app = TLS === undefined ? fastify(options) : fastify({ ...options, https: TLS });
  // The types of an instance depend on its server. The routes below use none of them.
  return listen(app as unknown as FastifyInstance, tools);
}

function listen(app: FastifyInstance, tools: readonly Tool[]): Promise<string> {
  const lookupIp = peerHandler(tools, GeoIpService.method.lookupIp);
  app.get<{ Querystring: { ip_address: string } }>("/v1/geoIp", { schema: GEO_IP }, (request, reply) => {
    reply.send(geoIpBody(lookupIp({ ipAddress: request.query.ip_address, view: LookupView.BASIC })));
  });

  const batchLookupIps = peerHandler(tools, GeoIpService.method.batchLookupIps);
  app.post<{ Body: { ip_addresses: string[] } }>(
    "/v1/geoIp:batch",
    { schema: GEO_IP_BATCH },
    async (request) => {
      // A promise for a batch that takes longer than one turn.
      const found = await batchLookupIps({ ipAddresses: request.body.ip_addresses, view: LookupView.BASIC });
      return geoIpBatchBody(found);
    },
  );

  const verifyOtp = peerHandler(tools, OtpService.method.verifyOtp);
  app.post<{ Body: { secret: string; digits?: number } }>("/v1/otp", { schema: OTP }, (request, reply) => {
    reply.header("cache-control", "no-store").send(otpBody(verifyOtp({ keyUri: "", ...request.body })));
  });

  return app.listen({ host: "127.0.0.1", port: 0 });
}
