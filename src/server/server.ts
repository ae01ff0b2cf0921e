import { createRegistry } from "@bufbuild/protobuf";
import { createConnectDoor } from "../doors/connect-door.js";
import { createConnectLane } from "../doors/connect-lane.js";
import { createFrontDoor } from "../doors/front-door.js";
import { createGrpcLane } from "../doors/grpc-lane.js";
import { createRestDoor } from "../doors/rest-door.js";
import { createStaticDoor } from "../doors/static-door.js";
import { type Documentation, openApiDocument } from "../openapi/open-api-document.js";
import { type Failure, ok, type Result } from "../result.js";
import { enforceDeadline } from "../rpc/deadline.js";
import { guard } from "../rpc/guard.js";
import { methodName } from "../rpc/method-name.js";
import { createMethodTable } from "../rpc/method-table.js";
import type { ServiceImplementation } from "../rpc/service.js";
import { createTranscoder } from "../transcoding/transcoder.js";
import { healthService } from "./health-service.js";
import { listen } from "./listener.js";
import { referencePages } from "./reference-pages.js";
import { reflectionServices } from "./reflection-service.js";
import type { TransportOptions } from "./transport-options.js";

/** What a server is made of. */
export interface ServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** How callers reach the server, if that is not what their requests say: no final slash. */
  readonly publicBaseUrl: string | undefined;
  /** What to do with request parameters that no method knows. */
  readonly unknownParameters: "reject" | "ignore";
  /** The longest request body or message, in octets; {@link MAX_REQUEST_BYTES} unless it is said. */
  readonly maxRequestBytes?: number;
  /** What the port does with connections; what is not given is as in `DEFAULT_TRANSPORT`. */
  readonly transport?: Partial<TransportOptions>;
  readonly services: readonly ServiceImplementation[];
  /** What the document of the API says beyond the services' descriptors. */
  readonly documentation: Documentation;
  /** Is told of exceptions that are bugs, with the full name of the method where it is known. */
  readonly reportBug: (bug: unknown, method?: string) => void;
}

/** A server that takes requests. */
export interface Server {
  /** Scheme, host and port it listens on, no final slash. */
  readonly url: string;
  /** Takes no more requests; gives those under way `gracePeriod` milliseconds. Resolves when all are gone. */
  stop(gracePeriod: number): Promise<void>;
}

/** The longest request body or message where the options say nothing of it, in octets. */
export const MAX_REQUEST_BYTES = 64 * 1024;

/**
 * Starts to serve services through every door on one port, with health and reflection beside them. Throws an Error
 * when the services' HTTP rules contradict their messages or one another.
 */
export async function startServer(options: ServerOptions): Promise<Result<Server, Failure<"CANNOT_LISTEN">>> {
  const { host, port, publicBaseUrl, unknownParameters, reportBug } = options;
  const maxRequestBytes = options.maxRequestBytes ?? MAX_REQUEST_BYTES;
  const stopping = new AbortController();
  const descs = options.services.map(({ service }) => service);
  const health = healthService({
    services: descs.map(({ typeName }) => typeName),
    stopping: stopping.signal,
  });
  const services = [...options.services, health, ...reflectionServices([...descs, health.service])];
  const methods = createMethodTable(services, [
    guard((bug, { method }) => reportBug(bug, methodName(method))),
    enforceDeadline,
  ]);
  const registry = createRegistry(...services.map(({ service }) => service.file));
  const transcoder = createTranscoder(
    methods.implementations.map(({ method }) => method),
    { unknownParameters, registry },
  );
  const document = openApiDocument(transcoder.bindings, options.documentation, {
    baseUrl: publicBaseUrl,
    maxBodyBytes: maxRequestBytes,
  });
  const lane = { methods, maxMessageBytes: maxRequestBytes, reportBug };
  const frontDoor = createFrontDoor({
    pages: createStaticDoor(await referencePages(document), reportBug),
    rest: createRestDoor({ transcoder, methods, maxBodyBytes: maxRequestBytes, reportBug }),
    grpcLane: createGrpcLane(lane),
    connectLane: createConnectLane({ ...lane, unknownParameters, registry }),
    connect: createConnectDoor({ ...lane, unknownParameters, registry }),
    publicBaseUrl,
    isStopping: () => stopping.signal.aborted,
    reportBug,
  });
  const listener = await listen({ host, port, frontDoor, transport: options.transport });
  if (!listener.ok) {
    return listener;
  }
  const { address, close } = listener.value;
  return ok({
    url: `${options.transport?.tls === undefined ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${address.port}`,
    stop: (gracePeriod) => {
      stopping.abort();
      return close(gracePeriod);
    },
  });
}
