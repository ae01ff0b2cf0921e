/** Prepares a folder of the cache with a function, once for each content of the files that it depends on. Returns the folder. */
export function prepared(name: string, files: readonly string[], prepare: (folder: string) => void): string;

/**
 * Installs the Python packages of a file in a folder, once, and returns the folder. Returns undefined, with a message, without Python of
 * at least 3.`minor`.
 */
export function pythonPrograms(name: string, requirements: string, minor?: number): string | undefined;
