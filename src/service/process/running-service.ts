import type { Failure, Result } from "../../result.js";
import type { Siblings } from "./siblings.js";

/** The service, taking requests in this process. */
export interface RunningService {
  /** Scheme, host and port it listens on, no final slash. */
  readonly url: string;
  /** Takes no more requests and lets those under way finish for as long as settings say. Never rejects. */
  stop(): Promise<void>;
}

/** What a process that starts is told of its place among others. */
export interface Circumstances {
  readonly siblings: Siblings;
  /** It is to take the place of one that serves, and so must not take a single request without all its data. */
  readonly isReplacement: boolean;
}

/** Starts the service in this process, or says why it cannot start. */
export type StartService = (circumstances: Circumstances) => Promise<Result<RunningService, Failure>>;

/** Is told what happens to processes, for operators to read. */
export type ProcessLog = (level: "info" | "warn" | "error", message: string) => void;
