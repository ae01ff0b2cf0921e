import { type FastifyInstance, type FastifyServerOptions, fastify } from "fastify";
import type { Tool } from "../../../src/tools/tool.js";
import { bodiesOf, type Requests } from "./bodies.js";
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
export function startFastify(tools: readonly Tool[], http2 = false): Promise<string> {
  // The types of options and of an instance depend on its server. The routes below use none of them.
  const options = { http2, ...(TLS && { https: TLS }) } as FastifyServerOptions;
  const app: FastifyInstance = fastify(options);
  const { geoIp, geoIpBatch, otp } = bodiesOf(tools);
  app.get<{ Querystring: { ip_address: string } }>("/v1/geoIp", { schema: GEO_IP }, (request, reply) => {
    reply.send(geoIp(request.query.ip_address));
  });
  app.post<{ Body: Requests["batch"] }>("/v1/geoIp:batch", { schema: GEO_IP_BATCH }, ({ body }) =>
    geoIpBatch(body),
  );
  app.post<{ Body: Requests["otp"] }>("/v1/otp", { schema: OTP }, (request, reply) => {
    reply.header("cache-control", "no-store").send(otp(request.body));
  });
  return app.listen({ host: "127.0.0.1", port: 0 });
}
