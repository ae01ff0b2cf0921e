/** What the handler and the interceptors of a call have seen, in order. */
export interface Recording {
  readonly events: unknown[];
  /** The number of handlers that run. */
  running: number;
}

/** The recordings of one server by the numbers of the calls. */
export interface Recorder {
  of(call: string | null): Recording;
  /** Returns and removes a recording, once its handlers have ended or after a time. */
  take(call: string): Promise<Recording>;
}

/** Creates a recorder. Handlers must end within so many milliseconds. */
export function createRecorder(endTimeout: number): Recorder {
  const recordings = new Map<string, Recording>();

  function of(call: string | null): Recording {
    const key = call ?? "";
    const recording = recordings.get(key) ?? { events: [], running: 0 };
    recordings.set(key, recording);
    return recording;
  }

  async function take(call: string): Promise<Recording> {
    const recording = of(call);
    const deadline = performance.now() + endTimeout;
    while (recording.running > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    recordings.delete(call);
    return recording;
  }

  return { of, take };
}

/** Headers that describe the connection or the encoding of the request, or that HTTP/2 has as pseudo-headers. */
const OMITTED = /^(?:connection|keep-alive|host|transfer-encoding|x-script|x-call|date)$/;

/** Headers in a form that can be compared. */
export function describeHeaders(headers: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries([...headers].filter(([name]) => !OMITTED.test(name)).sort());
}

/** The path and the query of a URL: the servers have different ports. */
export function describeUrl(url: string): string {
  return url.replace(/^(http:\/\/127\.0\.0\.1):\d+/, "$1");
}
