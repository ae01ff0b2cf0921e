/** The kind of one-time password, as the Key URI format names it. */
export const TYPE = "totp";

/**
 * The hash algorithm of the codes, as the Key URI format names it: the one that every authenticator app
 * supports.
 */
export const ALGORITHM = "SHA1";

/** Seconds of a time step: X of RFC 6238, with the default that it recommends in section 5.2. */
export const PERIOD = 30;
