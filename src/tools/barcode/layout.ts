/** Light modules around a QR code on each side: the least that ISO/IEC 18004 asks for. */
export const QUIET_ZONE = 4;

/** Pixels a module, in both directions. */
export const SCALE = 8;
