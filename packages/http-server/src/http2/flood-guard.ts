import { TokenBucket } from "./token-bucket.js";

/** Streams that end with a reset, by either side, beyond those that end with a response (CVE-2023-44487, CVE-2025-8671). */
const MAX_RESETS = 900;
const RESETS_PER_SECOND = 33;

/** Valid frames without effect on requests: PING, SETTINGS, empty DATA and others (CVE-2019-9512 and the following). */
const MAX_IDLE_FRAMES = 10_000;
const IDLE_FRAMES_PER_SECOND = 500;
/** Idle frames allowed per complete request. gRPC clients measure the bandwidth with PINGs. */
const IDLE_FRAMES_PER_REQUEST = 4;

/** Limits resets and idle frames. Complete requests raise the limits. */
export class FloodGuard {
  readonly #resets = new TokenBucket(MAX_RESETS, RESETS_PER_SECOND);
  readonly #idleFrames = new TokenBucket(MAX_IDLE_FRAMES, IDLE_FRAMES_PER_SECOND);

  /** Counts a reset that the client has caused. Returns false if there are too many. */
  countReset(): boolean {
    return this.#resets.take();
  }

  /** Counts a frame without effect on requests. Returns false if there are too many. */
  countIdleFrame(): boolean {
    return this.#idleFrames.take();
  }

  /** Called when a request and its response are complete. */
  onComplete(): void {
    this.#idleFrames.add(IDLE_FRAMES_PER_REQUEST);
    this.#resets.add(1);
  }
}
