/** Prepares a folder of the cache with a function, once for each content of the files that it depends on. Returns the folder. */
export function prepared(name: string, files: readonly string[], prepare: (folder: string) => void): string;

/** Installs the Python packages of a file in a folder, once. Returns the folder. */
export function pythonPrograms(name: string, requirements: string): string;
