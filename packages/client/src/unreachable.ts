import { Code, ConnectError, type Transport } from "@connectrpc/connect";

/**
 * Whether an error says that a connection was refused, broke, or could not be made. It is that of a call that its caller has
 * not cancelled.
 */
export type IsUnreachable = (error: ConnectError) => boolean;

/**
 * A transport that calls every broken connection `UNAVAILABLE`, as gRPC does
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). Those of connect give such errors several codes, `ABORTED`,
 * `CANCELED` and `UNKNOWN` among them, by which a caller could not tell them from others.
 */
export function namingUnreachable(inner: Transport, isUnreachable: IsUnreachable): Transport {
  const rename = (signal: AbortSignal | undefined) => (thrown: unknown) => {
    const error = ConnectError.from(thrown);
    if (error.code !== Code.Unavailable && signal?.aborted !== true && isUnreachable(error)) {
      throw new ConnectError(
        `the service cannot be reached, or the connection broke: ${error.rawMessage}`,
        Code.Unavailable,
        error.metadata,
        undefined,
        error.cause,
      );
    }
    throw error;
  };
  return {
    unary: (method, signal, ...rest) => inner.unary(method, signal, ...rest).catch(rename(signal)),
    stream: (method, signal, ...rest) => inner.stream(method, signal, ...rest).catch(rename(signal)),
  };
}
