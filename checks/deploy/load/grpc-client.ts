import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { LookupIpRequestSchema } from "@utility-tools/protos/utilitytools/v1/geoip_pb.js";
import { grpcFrame } from "../../bench/requests.js";
import type { ClientOptions, LoadClient, Outcome } from "./load.js";

/** The timeout of a response, in milliseconds. */
const DEADLINE = 5_000;

interface GrpcCall {
  readonly path: string;
  readonly body: Buffer;
}

const LOOKUP: GrpcCall = {
  path: "/utilitytools.v1.GeoIpService/LookupIp",
  body: grpcFrame(toBinary(LookupIpRequestSchema, create(LookupIpRequestSchema, { ipAddress: "8.8.8.8" }))),
};
/** A stream in both directions with one message each, which is the list of services. */
const REFLECTION: GrpcCall = {
  path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  body: grpcFrame(Buffer.from([0x3a, 0])),
};
const CALLS: readonly GrpcCall[] = [LOOKUP, LOOKUP, LOOKUP, REFLECTION];

interface Connection {
  readonly session: ClientHttp2Session;
  localPort: number | undefined;
}

/**
 * Calls a unary method and a stream over gRPC on persistent connections in turn. After a GOAWAY, a new connection replaces the old one.
 * Calls that the server rejected without reading them are retried once (RFC 9113, section 8.7), as in every gRPC
 * library.
 */
export function grpcClient(
  url: string,
  connections: number,
  { ca, retries = true }: ClientOptions = {},
): LoadClient {
  const pool: Connection[] = [];
  let sent = 0;
  let calls = 0;

  function open(): Connection {
    const session = connect(url, ca === undefined ? {} : { ca });
    const connection: Connection = { session, localPort: undefined };
    session.on("connect", (_session, socket) => {
      connection.localPort = socket.localPort;
    });
    // Each call handles it.
    session.on("error", () => undefined);
    return connection;
  }

  function start(
    slot: number,
    path: string,
  ): { readonly stream: ClientHttp2Stream; readonly connection: Connection } {
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const known = pool[slot];
    const connection =
      known === undefined || known.session.closed || known.session.destroyed ? open() : known;
    pool[slot] = connection;
    try {
      return { stream: connection.session.request(headers), connection };
    } catch {
      // The connection received a GOAWAY a moment ago.
      const next = open();
      pool[slot] = next;
      return { stream: next.session.request(headers), connection: next };
    }
  }

  function sendOnce(call: GrpcCall, isRetried: boolean): Promise<Outcome> {
    const slot = sent++ % connections;
    if (isRetried && pool[slot]?.session.connecting === false) {
      // Other connections may be about to receive a GOAWAY, so retry on a new one: calls wait until it is connected.
      pool[slot]?.session.close();
    }
    const { stream, connection } = start(slot, call.path);
    return new Promise((resolve) => {
      let failure: string | undefined;
      let httpStatus: number | undefined;
      let grpcStatus: string | undefined;
      let bytes = 0;
      const timer = setTimeout(() => {
        failure = "deadline";
        stream.destroy();
      }, DEADLINE);
      stream.on("response", (headers) => {
        httpStatus = headers[":status"];
        grpcStatus ??= headers["grpc-status"]?.toString();
      });
      stream.on("trailers", (trailers) => {
        grpcStatus = trailers["grpc-status"]?.toString();
      });
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      stream.on("error", (error: NodeJS.ErrnoException) => {
        failure ??= `${error.code}: ${error.message}`;
      });
      stream.on("close", () => {
        clearTimeout(timer);
        const isRight = httpStatus === 200 && grpcStatus === "0" && bytes > 5;
        failure ??= isRight
          ? undefined
          : `HTTP ${httpStatus}, grpc-status ${grpcStatus}, reset ${stream.rstCode}`;
        const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
        const outcome = { failure, isRetried, localPort: connection.localPort };
        resolve(isRefused && retries && !isRetried ? sendOnce(call, true) : outcome);
      });
      stream.end(call.body);
    });
  }

  return {
    send: () => sendOnce(CALLS[calls++ % CALLS.length] ?? LOOKUP, false),
    close: () => {
      for (const { session } of pool) {
        session.destroy();
      }
    },
  };
}
