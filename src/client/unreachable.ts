import { Code, ConnectError, type Transport } from "@connectrpc/connect";

/** Whether an error says that a connection was refused, broke, or could not be made. */
export type IsUnreachable = (error: ConnectError) => boolean;

/**
 * A transport that calls every broken connection `UNAVAILABLE`, as gRPC does
 * (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). Those of connect give such errors several codes, `ABORTED`,
 * `INTERNAL` and `UNKNOWN` among them, by which a caller could not tell them from others.
 */
export function namingUnreachable(inner: Transport, isUnreachable: IsUnreachable): Transport {
  function rename(thrown: unknown): never {
    const error = ConnectError.from(thrown);
    if (error.code !== Code.Unavailable && isUnreachable(error)) {
      throw new ConnectError(
        `the service cannot be reached, or the connection broke: ${error.rawMessage}`,
        Code.Unavailable,
        error.metadata,
        undefined,
        error.cause,
      );
    }
    throw error;
  }
  return {
    unary: (...call) => inner.unary(...call).catch(rename),
    stream: (...call) => inner.stream(...call).catch(rename),
  };
}
