/** The part of tr46 6.0.0 that this service uses; the package has no types of its own. */
declare module "tr46" {
  /** The switches of UTS #46 processing; each is off unless set. */
  export interface Options {
    readonly checkBidi?: boolean;
    readonly checkHyphens?: boolean;
    readonly checkJoiners?: boolean;
    readonly ignoreInvalidPunycode?: boolean;
    readonly transitionalProcessing?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
  }

  /** The domain in A-labels, or `null` where it has none. */
  export function toASCII(
    domainName: string,
    options?: Options & { verifyDNSLength?: boolean },
  ): string | null;

  /** The domain in U-labels, and whether there was an error. */
  export function toUnicode(domainName: string, options?: Options): { domain: string; error: boolean };
}
