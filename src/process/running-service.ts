import type { Failure, Result } from "../result.js";
import type { Siblings } from "./siblings.js";

/** The service, taking requests in this process. */
export interface RunningService {
  /** Scheme, host and port it listens on, no final slash. */
  readonly url: string;
  /** Whether all of it can answer: nothing lacks the data that it needs. */
  isReady(): boolean;
  /** Takes no more requests and lets those under way finish for as long as settings say. Never rejects. */
  stop(): Promise<void>;
}

/** Starts the service in this process, or says why it cannot start. */
export type StartService = (siblings: Siblings) => Promise<Result<RunningService, Failure>>;

/** Is told what happens to processes, for operators to read. */
export type ProcessLog = (level: "info" | "warn" | "error", message: string) => void;
