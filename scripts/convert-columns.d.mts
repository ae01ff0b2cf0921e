/** Returns a database in columns as a database in blocks, which the service reads. Throws an Error if the file is not in columns. */
export function convertColumns(file: Buffer): Buffer;
