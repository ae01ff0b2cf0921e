import type {
  DescMessage,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import type { CallOptions } from "@connectrpc/connect";
import { SERVICES } from "@utility-tools/protos/services.js";
import type { UtilityToolsClient } from "./client-over.js";

/** A unary method of a client. */
export type UnaryMethod<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageInitShape<Input>,
  options?: CallOptions,
) => Promise<MessageShape<Output>>;

/** The name that clients have a service by. Throws an Error for a service that they do not have. */
export function serviceNameOf({ typeName }: DescService): keyof typeof SERVICES {
  for (const [name, service] of Object.entries(SERVICES)) {
    if (service.typeName === typeName) {
      return name as keyof typeof SERVICES;
    }
  }
  throw new Error(`clients have no ${typeName}`);
}

/**
 * What a client has for a method, by its descriptor: for those who call whatever methods there are. Throws an Error for a method
 * of a service that clients do not have.
 */
export function methodOf<Input extends DescMessage, Output extends DescMessage>(
  client: UtilityToolsClient,
  { parent, localName }: DescMethodUnary<Input, Output>,
): UnaryMethod<Input, Output> {
  // The client of a service has a function for each of its methods; a look-up by computed name loses that.
  const methods = client[serviceNameOf(parent)] as Readonly<Record<string, unknown>>;
  return methods[localName] as UnaryMethod<Input, Output>;
}
