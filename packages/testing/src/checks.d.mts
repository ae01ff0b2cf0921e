import type { SpawnSyncOptions, SpawnSyncReturns } from "node:child_process";

/** Options of a program, with a timeout in seconds. */
type RunOptions = Omit<SpawnSyncOptions, "encoding" | "timeout"> & { readonly seconds?: number };

export function check(what: string, holds: boolean, found?: unknown): void;
export function checkEqual(what: string, found: unknown, expected: unknown): void;
export function conclude(): void;
export function run(program: string, args: readonly string[], options?: RunOptions): SpawnSyncReturns<string>;
export function mustRun(
  program: string,
  args: readonly string[],
  options?: RunOptions,
): SpawnSyncReturns<string>;
export function checkRuns(what: string, program: string, args: readonly string[], options?: RunOptions): void;
export function temporaryFolder(name: string): string;
