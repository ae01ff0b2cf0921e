import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** What is known of a connection. */
interface Activity {
  /** Octets that had moved either way when it was looked at last, and since when it has been so many. */
  octets: number;
  since: number;
  /** The response to its latest request, while that may be under way. */
  latest: ServerResponse | undefined;
}

/** Keeps watch over HTTP/1.1 connections that nobody uses. */
export interface IdleConnections {
  /** A connection has a request. */
  onRequest(socket: Socket, response: ServerResponse): void;
  /** Ends those on which nothing has moved for as long as they may be idle, and no request is under way. */
  sweep(now: number): void;
}

/**
 * Makes what ends idle connections in the place of `keepAliveTimeout` of `node:http`, which sets a timer anew for each
 * request. `maxIdle` is in milliseconds, as are the times that `sweep` is told.
 */
export function watchIdleConnections(maxIdle: number): IdleConnections {
  const activities = new Map<Socket, Activity>();

  function isIdle(socket: Socket, activity: Activity, now: number): boolean {
    if (activity.latest?.closed === true || activity.latest?.writableFinished === true) {
      activity.latest = undefined;
    }
    const octets = socket.bytesRead + socket.bytesWritten;
    if (octets !== activity.octets || activity.latest !== undefined) {
      activity.octets = octets;
      activity.since = now;
    }
    return now - activity.since >= maxIdle;
  }

  return {
    onRequest: (socket, response) => {
      const activity = activities.get(socket);
      if (activity !== undefined) {
        activity.latest = response;
        return;
      }
      activities.set(socket, { octets: 0, since: 0, latest: response });
      socket.once("close", () => activities.delete(socket));
    },
    sweep: (now) => {
      for (const [socket, activity] of activities) {
        if (isIdle(socket, activity, now)) {
          socket.destroy();
        }
      }
    },
  };
}
