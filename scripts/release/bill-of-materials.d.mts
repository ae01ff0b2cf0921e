import type { Plugin } from "vite";

export declare function packagesOfBundle(
  file: string,
  options?: { readonly earlier?: string; readonly manifest?: object },
): { readonly plugin: Plugin; readonly worker: Plugin };
