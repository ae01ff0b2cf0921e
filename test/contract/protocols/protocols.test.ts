import { create, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import { SanitizeEmailRequestSchema } from "@utility-tools/protos/utilitytools/v1/email_pb.js";
import { describe, expect, test } from "vitest";
import { send } from "../support/clients.js";
import { sendHttp2 } from "../support/raw-http.js";
import { useServer } from "../support/serve.js";

describe("protocols", () => {
  const server = useServer();

  /** Calls a method with raw bytes and returns the gRPC status. */
  function callRaw(path: string, message: Uint8Array): Promise<number> {
    const client = new Client(new URL(server.url).host, credentials.createInsecure());
    return new Promise((resolve) => {
      const identity = (bytes: Buffer) => bytes;
      client.makeUnaryRequest(
        path,
        identity,
        identity,
        Buffer.from(message),
        (error: ServiceError | null) => {
          client.close();
          resolve(error?.code ?? 0);
        },
      );
    });
  }

  const SANITIZE = "/utilitytools.v1.EmailService/SanitizeEmail";

  describe("gRPC", () => {
    test.each([
      ["/utilitytools.v1.EmailService/Nope", 12],
      ["/utilitytools.v1.NopeService/SanitizeEmail", 12],
      ["/v1/sanitizeEmail", 12],
      [SANITIZE, 3],
    ])("of %s has status %i", async (path, status) => {
      expect(await callRaw(path, new Uint8Array())).toBe(status);
    });

    test("rejects an invalid message, and one that is too large", async () => {
      expect(await callRaw(SANITIZE, new Uint8Array([0xff, 0xff]))).toBe(3);
      const email = "x".repeat(70_000);
      const large = toBinary(SanitizeEmailRequestSchema, create(SanitizeEmailRequestSchema, { email }));
      expect(await callRaw(SANITIZE, large)).toBe(8);
    });

    test("ignores unknown fields", async () => {
      const known = toBinary(
        SanitizeEmailRequestSchema,
        create(SanitizeEmailRequestSchema, { email: "a@b.example" }),
      );
      // Field 1000, wire type 0, value 1.
      expect(await callRaw(SANITIZE, new Uint8Array([...known, 0xc0, 0x3e, 0x01]))).toBe(0);
    });

    test("has the status in the headers for an unknown method over HTTP/1.1", async () => {
      const { status, headers } = await send(`${server.url}/nope.Service/Method`, {
        method: "POST",
        headers: { "content-type": "application/grpc-web+proto" },
      });
      expect([status, headers.get("grpc-status"), headers.get("content-type")]).toEqual([
        200,
        "12",
        "application/grpc-web+proto",
      ]);
    });
  });

  describe("Connect", () => {
    const post = (path: string, body: string, type = "application/json") =>
      send(`${server.url}${path}`, { method: "POST", headers: { "content-type": type }, body });

    test.each<[string, number, unknown]>([
      ['{"email":"A@B.example"}', 200, { email: "a@b.example" }],
      ['{"email":1}', 400, expect.objectContaining({ code: "invalid_argument" })],
      ['{"mail":"a@b.example"}', 400, expect.objectContaining({ code: "invalid_argument" })],
      ["{", 400, expect.objectContaining({ code: "invalid_argument" })],
      [`{"email":"${"x".repeat(70_000)}"}`, 429, expect.objectContaining({ code: "resource_exhausted" })],
    ])("responds to %.40s with %i", async (body, status, json) => {
      expect(await post(SANITIZE, body)).toMatchObject({ status, json });
    });

    test("reports all errors in JSON by path, without values", async () => {
      const { status, json, text } = await post(
        "/utilitytools.v1.OtpService/VerifyOtp",
        '{"secret":123456789,"digits":"hunter2","nope":"hunter2"}',
      );
      expect([status, json]).toEqual([
        400,
        {
          code: "invalid_argument",
          message:
            "nope: is not a field of utilitytools.v1.VerifyOtpRequest; secret: must be a string; digits: must be an integer",
          details: [
            expect.objectContaining({ type: "google.rpc.BadRequest" }),
            expect.objectContaining({ type: "google.rpc.ErrorInfo" }),
          ],
        },
      ]);
      expect(text).not.toMatch(/123456789|hunter2/);
      const broken = await post("/utilitytools.v1.OtpService/VerifyOtp", '{"secret":"hunter2');
      expect([broken.status, broken.json]).toEqual([
        400,
        expect.objectContaining({ code: "invalid_argument", message: "the body is not JSON" }),
      ]);
    });

    test("rejects other content types, unknown methods, and GET for methods with side effects", async () => {
      expect((await post(SANITIZE, "{}", "text/plain")).status).toBe(415);
      expect((await post("/utilitytools.v1.EmailService/Nope", "{}")).status).toBe(404);
      expect((await send(`${server.url}${SANITIZE}`)).status).toBe(405);
    });

    test("includes fields with default values", async () => {
      const { json } = await post("/utilitytools.v1.GeoIpService/LookupIp", '{"ip_address":"8.8.8.8"}');
      expect(json).toMatchObject({ metadata: { location: { country: "US", eu: false } } });
    });
  });

  describe("HTTP/2", () => {
    test("serves REST, with a body in several pieces", async () => {
      const exchange = await sendHttp2(
        server.url,
        { ":method": "POST", ":path": "/v1/sanitizeEmail?format=json", "content-type": "application/json" },
        '{"email":"A@B.example"}',
      );
      expect(exchange).toEqual({ status: 200, body: '{"email":"a@b.example"}' });
    });

    test("rejects a body that is too large", async () => {
      const exchange = await sendHttp2(
        server.url,
        { ":method": "POST", ":path": "/v1/otp", "content-type": "application/json" },
        "x".repeat(200_000),
      );
      expect(exchange.status).toBe(413);
    });
  });
});
