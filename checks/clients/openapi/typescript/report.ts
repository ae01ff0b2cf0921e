/** The URL of the service, and an API key for it. */
export const { UTILITY_TOOLS_URL: URL = "", UTILITY_TOOLS_API_KEY: KEY = "" } = process.env;
/** The data has no location for 127.0.0.1. */
export const FORWARDED = { "x-forwarded-for": "8.8.8.8" };
export const HEADERS = { authorization: `Bearer ${KEY}`, ...FORWARDED };

/** Prints the status and the data of a response, of which bytes are in base64. Orval also has bytes for the error of an image. */
export async function report(status: number | undefined, data: unknown): Promise<void> {
  const isError = data instanceof Blob && data.type.startsWith("application/json");
  const bytes = data instanceof Blob ? await data.arrayBuffer() : data;
  const value = bytes instanceof ArrayBuffer ? Buffer.from(bytes).toString("base64") : bytes;
  console.log(JSON.stringify({ status, value: isError ? JSON.parse(await data.text()) : value }));
}
