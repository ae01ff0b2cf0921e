import type {
  DescMessage,
  DescMethod,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import {
  type CallOptions,
  type Client,
  Code,
  ConnectError,
  createClient,
  type Transport,
} from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import { nameMethod } from "./errors.js";
import { type ClientOptions, checkOptions } from "./options.js";
import { REAL_TIMING, retryingTransport, type Timing } from "./retry.js";

type Services = typeof SERVICES;

/** One client per service, named without "Service": `client.geoIp.lookupIp({ ipAddress: "8.8.8.8" })`. */
export type UtilityToolsClient = { readonly [Name in keyof Services]: Client<Services[Name]> } & {
  /**
   * Cancels all calls with `CANCELED` and closes all connections. Later calls fail with `CANCELED`. Idle connections do not keep
   * a process alive, so a program need not call this in order to exit.
   */
  close(): void;
};

/**
 * Creates a client over a connect transport. Adds headers, the API key, deadlines and retries to the transport.
 *
 * @param release Called once by `close()`, to close the connections of the transport.
 * @throws TypeError, RangeError or ConnectError if an option is invalid
 */
export function createClientOver(
  transport: Transport,
  options: ClientOptions = {},
  release: () => void = () => {},
  timing: Timing = REAL_TIMING,
): UtilityToolsClient {
  checkOptions(options);
  const closing = new AbortController();
  const retrying = withNamedMethods(retryingTransport(transport, options, closing.signal, timing));
  const clients = Object.entries(SERVICES).map(([name, service]) => [name, createClient(service, retrying)]);
  return {
    ...(Object.fromEntries(clients) as Omit<UtilityToolsClient, "close">),
    close() {
      if (!closing.signal.aborted) {
        closing.abort(new ConnectError("the client is closed", Code.Canceled));
        release();
      }
    },
  };
}

/** Wraps a transport so that the messages of errors name the method. */
function withNamedMethods(inner: Transport): Transport {
  const rethrow =
    ({ parent, localName }: DescMethod) =>
    (thrown: unknown) => {
      throw nameMethod(thrown, `${serviceNameOf(parent)}.${localName}`);
    };
  return {
    unary: (method, ...rest) => inner.unary(method, ...rest).catch(rethrow(method)),
    stream: (method, ...rest) => inner.stream(method, ...rest).catch(rethrow(method)),
  };
}

/** A unary method of a client. */
export type UnaryMethod<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageInitShape<Input>,
  options?: CallOptions,
) => Promise<MessageShape<Output>>;

/** Returns the property of `UtilityToolsClient` for a service. Throws an `Error` if there is none. */
export function serviceNameOf({ typeName }: DescService): keyof Services {
  for (const [name, service] of Object.entries(SERVICES)) {
    if (service.typeName === typeName) {
      return name as keyof Services;
    }
  }
  throw new Error(`the client does not have the service ${typeName}`);
}

/** Returns the function of a client that calls the given method. Throws an `Error` if the client lacks the service. */
export function methodOf<Input extends DescMessage, Output extends DescMessage>(
  client: UtilityToolsClient,
  { parent, localName }: DescMethodUnary<Input, Output>,
): UnaryMethod<Input, Output> {
  // A lookup by a computed name loses the type; the client of a service has a function for each of its methods.
  const methods = client[serviceNameOf(parent)] as Readonly<Record<string, unknown>>;
  return methods[localName] as UnaryMethod<Input, Output>;
}
