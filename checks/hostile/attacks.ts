import type { Attack } from "./attack.js";
import { HELD_ATTACKS } from "./held-attacks.js";
import { HTTP1_ATTACKS } from "./http1-attacks.js";
import { HTTP2_ATTACKS } from "./http2-attacks.js";
import { WORK_ATTACKS } from "./work-attacks.js";

/** All attacks. */
export const ATTACKS: readonly Attack[] = [
  ...HTTP1_ATTACKS,
  ...HTTP2_ATTACKS,
  ...WORK_ATTACKS,
  ...HELD_ATTACKS,
];
