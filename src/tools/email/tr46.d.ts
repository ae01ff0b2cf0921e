/** Types for the used part of tr46 6.0.0. */
declare module "tr46" {
  /** The options of UTS #46 processing; each is off by default. */
  export interface Options {
    readonly checkBidi?: boolean;
    readonly checkHyphens?: boolean;
    readonly checkJoiners?: boolean;
    readonly ignoreInvalidPunycode?: boolean;
    readonly transitionalProcessing?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
  }

  /** Returns the domain in A-labels; `null` if it is invalid. */
  export function toASCII(
    domainName: string,
    options?: Options & { verifyDNSLength?: boolean },
  ): string | null;

  /** Returns the domain in U-labels, and whether there was an error. */
  export function toUnicode(domainName: string, options?: Options): { domain: string; error: boolean };
}
