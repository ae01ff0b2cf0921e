/** The content of release.config.json. */
export type Config = Readonly<Record<string, string>>;
export declare const NAMES: readonly string[];
export declare function documentsWithBlocks(): string[];
export declare function withBlocks(page: string, config: Config, version: string): string;
