import type { BaseConnection } from "../../core/base-connection.js";
import type { Streams, StreamsConnection } from "../streams/streams.js";
import {
  ErrorCode,
  FrameFlag,
  FrameType,
  Http2Setting,
  MAX_FRAME,
  MAX_UINT31,
  readUint31,
} from "./frames.js";

/** A WINDOW_UPDATE with a smaller increment counts as a frame without effect. */
const USEFUL_INCREMENT = 1024;

/** The number of settings in one frame that a client may send. */
const MAX_SETTINGS = 64;

/** What the frames of a client need of their connection. */
export interface FrameConnection
  extends StreamsConnection,
    Pick<BaseConnection, "input" | "isOver" | "options" | "reject" | "rules"> {
  readonly streams: Streams;
  readonly timeouts: { onRequest(): void };
  /** Whether the preface and the first SETTINGS of the client have been received. */
  isReady: boolean;
  /** Accepts no more streams, and closes the connection after the last one. */
  close(reason?: string): void;
  /** Ends the connection with an error (RFC 9113, section 5.4.1). Returns the position after all input. */
  fail(code: number, reason: string): number;
  /** Counts a frame without effect on requests. Returns false if there are too many. */
  countIdleFrame(): boolean;
  /** Called when the client has acknowledged a PING. */
  onPong(content: Buffer): void;
}

const HANDLERS: Readonly<Record<number, typeof onSettings>> = {
  [FrameType.WINDOW_UPDATE]: onWindowUpdate,
  [FrameType.RST_STREAM]: onReset,
  [FrameType.SETTINGS]: onSettings,
  [FrameType.PING]: onPing,
  [FrameType.PRIORITY]: onPriority,
  [FrameType.GOAWAY]: onGoaway,
  // RFC 9113, section 8.4
  [FrameType.PUSH_PROMISE]: (connection) => connection.fail(ErrorCode.PROTOCOL_ERROR, "clients cannot push"),
};

/** Handles a frame that is not part of a request. */
export function onControlFrame(
  connection: FrameConnection,
  type: number,
  streamId: number,
  payload: Buffer,
  isAck: boolean,
): void {
  const handle = HANDLERS[type];
  if (handle === undefined) {
    // RFC 9113, section 5.5: unknown types are ignored.
    connection.countIdleFrame();
  } else {
    handle(connection, streamId, payload, isAck);
  }
}

/** RFC 9113, section 6.9 */
function onWindowUpdate(connection: FrameConnection, streamId: number, payload: Buffer): void {
  if (payload.length !== 4) {
    connection.fail(ErrorCode.FRAME_SIZE_ERROR, "invalid length of WINDOW_UPDATE");
    return;
  }
  const increment = readUint31(payload, 0);
  if (increment < USEFUL_INCREMENT && !connection.countIdleFrame()) {
    return;
  }
  if (streamId !== 0) {
    onStreamWindow(connection, streamId, increment);
  } else if (increment === 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
  } else if (!connection.sender.addWindow(increment)) {
    connection.fail(ErrorCode.FLOW_CONTROL_ERROR, "the connection's window is too large");
  }
}

function onStreamWindow(connection: FrameConnection, streamId: number, increment: number): void {
  const stream = connection.streams.get(streamId);
  if (stream === undefined) {
    if (connection.streams.isIdle(streamId)) {
      connection.fail(ErrorCode.PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
    } else {
      connection.countIdleFrame();
    }
  } else if (increment === 0) {
    connection.streams.fail(stream, ErrorCode.PROTOCOL_ERROR);
  } else if (connection.sender.initialWindow + stream.sendCredit + increment > MAX_UINT31) {
    connection.streams.fail(stream, ErrorCode.FLOW_CONTROL_ERROR);
  } else {
    stream.sendCredit += increment;
    connection.sender.resumeStream(stream);
  }
}

/** RFC 9113, section 6.4 */
function onReset(connection: FrameConnection, streamId: number, payload: Buffer): void {
  if (streamId === 0 || connection.streams.isIdle(streamId)) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "RST_STREAM on an idle stream");
  } else if (payload.length !== 4) {
    connection.fail(ErrorCode.FRAME_SIZE_ERROR, "invalid length of RST_STREAM");
  } else {
    const stream = connection.streams.get(streamId);
    if (stream !== undefined) {
      connection.streams.onReset(stream);
    }
    if (stream === undefined || stream.isSent) {
      // The client has not received the end of the response yet, or does not send the rest of its request.
      connection.countIdleFrame();
    } else {
      connection.countReset();
    }
  }
}

/** RFC 9113, section 6.5 */
function onSettings(connection: FrameConnection, streamId: number, payload: Buffer, isAck: boolean): void {
  const { length } = payload;
  if (streamId !== 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "SETTINGS on a stream");
  } else if (isAck ? length !== 0 : length % 6 !== 0) {
    connection.fail(ErrorCode.FRAME_SIZE_ERROR, "invalid length of SETTINGS");
  } else if (length > 6 * MAX_SETTINGS) {
    connection.fail(ErrorCode.ENHANCE_YOUR_CALM, "too many settings");
  } else if (connection.countIdleFrame() && !isAck) {
    for (let at = 0; at < length && connection.countIdleFrame(); at += 6) {
      onSetting(connection, payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    }
    connection.isReady = true;
    connection.sender.control(FrameType.SETTINGS, FrameFlag.ACK, 0, Buffer.alloc(0));
    connection.sender.resume();
  }
}

/** RFC 9113, section 6.5.2. The size of the header table does not matter: this server's header blocks do not use it. */
function onSetting(connection: FrameConnection, setting: number, value: number): void {
  const { sender } = connection;
  if (setting === Http2Setting.ENABLE_PUSH && value > 1) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "invalid SETTINGS_ENABLE_PUSH");
  } else if (setting === Http2Setting.MAX_FRAME_SIZE && (value < MAX_FRAME || value > 0xff_ffff)) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "invalid SETTINGS_MAX_FRAME_SIZE");
  } else if (setting === Http2Setting.INITIAL_WINDOW_SIZE) {
    // RFC 9113, section 6.9.2
    if (
      value > MAX_UINT31 ||
      connection.streams.values().some(({ sendCredit }) => sendCredit + value > MAX_UINT31)
    ) {
      connection.fail(ErrorCode.FLOW_CONTROL_ERROR, "invalid SETTINGS_INITIAL_WINDOW_SIZE");
    } else {
      sender.initialWindow = value;
    }
  }
}

/** RFC 9113, section 6.7 */
function onPing(connection: FrameConnection, streamId: number, payload: Buffer, isAck: boolean): void {
  if (streamId !== 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "PING on a stream");
  } else if (payload.length !== 8) {
    connection.fail(ErrorCode.FRAME_SIZE_ERROR, "invalid length of PING");
  } else if (isAck) {
    connection.countIdleFrame();
    connection.onPong(payload);
  } else if (connection.countIdleFrame()) {
    connection.sender.control(FrameType.PING, FrameFlag.ACK, 0, payload);
  }
}

/** RFC 9113, section 6.3; the priority itself is ignored. */
function onPriority(connection: FrameConnection, streamId: number, payload: Buffer): void {
  const hasLength = payload.length === 5;
  if (streamId === 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "PRIORITY without a stream");
  } else if (hasLength && readUint31(payload, 0) !== streamId) {
    connection.countIdleFrame();
  } else {
    const code = hasLength ? ErrorCode.PROTOCOL_ERROR : ErrorCode.FRAME_SIZE_ERROR;
    const stream = connection.streams.get(streamId);
    if (stream === undefined) {
      // Only a stream that exists can be reset.
      connection.fail(code, "invalid PRIORITY");
    } else {
      connection.streams.fail(stream, code);
    }
  }
}

/**
 * RFC 9113, section 6.8. Streams in progress are served. The GOAWAY in response tells the client which ones, as it may have
 * opened more: its own GOAWAY concerns the streams that servers open.
 */
function onGoaway(connection: FrameConnection, streamId: number, payload: Buffer): void {
  if (streamId !== 0) {
    connection.fail(ErrorCode.PROTOCOL_ERROR, "GOAWAY on a stream");
  } else if (payload.length < 8) {
    connection.fail(ErrorCode.FRAME_SIZE_ERROR, "invalid length of GOAWAY");
  } else if (connection.countIdleFrame()) {
    connection.close();
  }
}
