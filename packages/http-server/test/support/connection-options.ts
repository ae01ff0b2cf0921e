import { ByteBudget } from "../../src/core/byte-budget.js";
import { plainRejection } from "../../src/core/rejection.js";
import { type ConnectionOptions, DEFAULT_LIMITS } from "../../src/options.js";

/** Options of a connection. Its handler responds with an empty body. */
export function connectionOptions(overrides: Partial<ConnectionOptions> = {}): ConnectionOptions {
  return {
    ...DEFAULT_LIMITS,
    onRequest: (request) => request.respond(200, [], undefined),
    methods: undefined,
    isGateway: () => false,
    isOpenEnded: () => false,
    formatRejection: plainRejection,
    onReject: () => {},
    budget: new ByteBudget(Number.POSITIVE_INFINITY),
    isStopping: () => false,
    lingering: new Set(),
    ...overrides,
  };
}
