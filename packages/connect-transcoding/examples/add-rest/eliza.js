import { ElizaService } from "./gen/eliza/v1/eliza_pb.js";

/**
 * The existing implementation. It stays as it is.
 *
 * @param {import("@connectrpc/connect").ConnectRouter} router
 */
export function routes(router) {
  router.service(ElizaService, {
    say: ({ sentence }) => ({ sentence: `You said: ${sentence}` }),

    async *introduce({ name }) {
      yield { sentence: `Hi ${name}.` };
      yield { sentence: "I am Eliza." };
    },
  });
}
