import { Client, credentials, type ServiceError } from "@grpc/grpc-js";

/** A message with the five octets that gRPC puts before it: not compressed, and its length. */
export function grpcFrame(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, 5);
  return frame;
}

/** Calls a unary method; resolves to the octets of the answer's message. Rejects for every status but OK. */
export async function askGrpc(url: string, path: string, message: Uint8Array): Promise<Buffer> {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  const asIs = (octets: Buffer) => octets;
  try {
    return await new Promise((resolve, reject) => {
      const deadline = Date.now() + 10_000;
      client.makeUnaryRequest(
        path,
        asIs,
        asIs,
        Buffer.from(message),
        { deadline },
        (error: ServiceError | null, answer) =>
          error === null && answer !== undefined ? resolve(answer) : reject(error),
      );
    });
  } finally {
    client.close();
  }
}
