import type { Http2Connection } from "../connection.js";
import {
  ACK,
  ENHANCE_YOUR_CALM,
  FLOW_CONTROL_ERROR,
  FRAME_SIZE_ERROR,
  MAX_FRAME,
  MAX_WINDOW,
  PING,
  PROTOCOL_ERROR,
  readUint31,
  readUint32,
  SETTINGS,
  SETTINGS_ENABLE_PUSH,
  SETTINGS_INITIAL_WINDOW_SIZE,
  SETTINGS_MAX_FRAME_SIZE,
} from "./frames.js";

/** A WINDOW_UPDATE with a smaller increment counts as a frame without effect. */
const USEFUL_INCREMENT = 1024;

/** The number of settings in one frame that a client may send. */
const MAX_SETTINGS = 64;

/** Handles the frames that are not part of a request. */
export class ControlFrames {
  readonly #connection: Http2Connection;

  constructor(connection: Http2Connection) {
    this.#connection = connection;
  }

  /** RFC 9113, section 6.9 */
  onWindowUpdate(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (end - start !== 4) {
      this.#connection.fail(FRAME_SIZE_ERROR, "invalid length of WINDOW_UPDATE");
      return;
    }
    const increment = readUint31(bytes, start);
    if (increment < USEFUL_INCREMENT && !this.#connection.countIdleFrame()) {
      return;
    }
    if (streamId !== 0) {
      this.#onStreamWindow(streamId, increment);
    } else if (increment === 0) {
      this.#connection.fail(PROTOCOL_ERROR, "WINDOW_UPDATE of 0");
    } else if (!this.#connection.sender.addWindow(increment)) {
      this.#connection.fail(FLOW_CONTROL_ERROR, "the connection's window is too large");
    }
  }

  #onStreamWindow(streamId: number, increment: number): void {
    const stream = this.#connection.streams.get(streamId);
    if (stream === undefined) {
      if (this.#connection.streams.isIdle(streamId)) {
        this.#connection.fail(PROTOCOL_ERROR, "WINDOW_UPDATE on an idle stream");
      } else {
        this.#connection.countIdleFrame();
      }
    } else if (increment === 0) {
      this.#connection.streams.fail(stream, PROTOCOL_ERROR);
    } else if (this.#connection.sender.initialWindow + stream.sendCredit + increment > MAX_WINDOW) {
      this.#connection.streams.fail(stream, FLOW_CONTROL_ERROR);
    } else {
      stream.sendCredit += increment;
      this.#connection.sender.resumeStream(stream);
    }
  }

  /** RFC 9113, section 6.4 */
  onReset(length: number, streamId: number): void {
    if (streamId === 0 || this.#connection.streams.isIdle(streamId)) {
      this.#connection.fail(PROTOCOL_ERROR, "RST_STREAM on an idle stream");
    } else if (length !== 4) {
      this.#connection.fail(FRAME_SIZE_ERROR, "invalid length of RST_STREAM");
    } else {
      const stream = this.#connection.streams.get(streamId);
      if (stream !== undefined) {
        this.#connection.streams.onReset(stream);
      }
      if (stream === undefined || stream.isSent) {
        // The client has not received the end of the response yet, or does not send the rest of its request.
        this.#connection.countIdleFrame();
      } else {
        this.#connection.countReset();
      }
    }
  }

  /** RFC 9113, section 6.5 */
  onSettings(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    const length = end - start;
    if (streamId !== 0) {
      this.#connection.fail(PROTOCOL_ERROR, "SETTINGS on a stream");
    } else if ((flags & ACK) !== 0 ? length !== 0 : length % 6 !== 0) {
      this.#connection.fail(FRAME_SIZE_ERROR, "invalid length of SETTINGS");
    } else if (length > 6 * MAX_SETTINGS) {
      this.#connection.fail(ENHANCE_YOUR_CALM, "too many settings");
    } else if (this.#connection.countIdleFrame() && (flags & ACK) === 0) {
      for (let at = start; at < end && this.#connection.countIdleFrame(); at += 6) {
        this.#onSetting(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0), readUint32(bytes, at + 2));
      }
      this.#connection.isReady = true;
      this.#connection.sender.control(SETTINGS, ACK, 0, Buffer.alloc(0));
      this.#connection.sender.resume();
    }
  }

  /** RFC 9113, section 6.5.2. The size of the header table does not matter: this server's header blocks do not use it. */
  #onSetting(setting: number, value: number): void {
    const { sender } = this.#connection;
    if (setting === SETTINGS_ENABLE_PUSH && value > 1) {
      this.#connection.fail(PROTOCOL_ERROR, "invalid SETTINGS_ENABLE_PUSH");
    } else if (setting === SETTINGS_MAX_FRAME_SIZE && (value < MAX_FRAME || value > 0xff_ffff)) {
      this.#connection.fail(PROTOCOL_ERROR, "invalid SETTINGS_MAX_FRAME_SIZE");
    } else if (setting === SETTINGS_INITIAL_WINDOW_SIZE) {
      // RFC 9113, section 6.9.2
      if (
        value > MAX_WINDOW ||
        this.#connection.streams.values().some(({ sendCredit }) => sendCredit + value > MAX_WINDOW)
      ) {
        this.#connection.fail(FLOW_CONTROL_ERROR, "invalid SETTINGS_INITIAL_WINDOW_SIZE");
      } else {
        sender.initialWindow = value;
      }
    }
  }

  /** RFC 9113, section 6.7 */
  onPing(bytes: Buffer, start: number, end: number, flags: number, streamId: number): void {
    if (streamId !== 0) {
      this.#connection.fail(PROTOCOL_ERROR, "PING on a stream");
    } else if (end - start !== 8) {
      this.#connection.fail(FRAME_SIZE_ERROR, "invalid length of PING");
    } else if ((flags & ACK) !== 0) {
      this.#connection.countIdleFrame();
      this.#connection.onPong();
    } else if (this.#connection.countIdleFrame()) {
      this.#connection.sender.control(PING, ACK, 0, bytes.subarray(start, end));
    }
  }

  /** RFC 9113, section 6.3; the priority itself is ignored. */
  onPriority(bytes: Buffer, start: number, end: number, streamId: number): void {
    if (streamId === 0) {
      this.#connection.fail(PROTOCOL_ERROR, "PRIORITY without a stream");
    } else if (end - start !== 5) {
      this.#onInvalidPriority(streamId, FRAME_SIZE_ERROR);
    } else if (readUint31(bytes, start) === streamId) {
      this.#onInvalidPriority(streamId, PROTOCOL_ERROR);
    } else {
      this.#connection.countIdleFrame();
    }
  }

  #onInvalidPriority(streamId: number, code: number): void {
    const stream = this.#connection.streams.get(streamId);
    if (stream === undefined) {
      // Only a stream that exists can be reset.
      this.#connection.fail(code, "invalid PRIORITY");
    } else {
      this.#connection.streams.fail(stream, code);
    }
  }

  /**
   * RFC 9113, section 6.8. Streams in progress are served. The GOAWAY in response tells the client which ones, as it may have
   * opened more: its own GOAWAY concerns the streams that servers open.
   */
  onGoaway(length: number, streamId: number): void {
    if (streamId !== 0) {
      this.#connection.fail(PROTOCOL_ERROR, "GOAWAY on a stream");
    } else if (length < 8) {
      this.#connection.fail(FRAME_SIZE_ERROR, "invalid length of GOAWAY");
    } else if (this.#connection.countIdleFrame()) {
      this.#connection.close();
    }
  }
}
