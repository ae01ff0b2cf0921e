import type { Socket } from "node:net";
import type { ConnectionOptions } from "../options.js";
import type { ConnectionStage, ServedConnection } from "../port/stage.js";
import type { BaseRequest, RequestConnection } from "./base-request.js";
import type { ByteHolder } from "./byte-budget.js";
import { Input, type InputHandler } from "./input.js";
import type { Rejection } from "./rejection.js";
import type { RuleContext } from "./rules.js";
import type { Queue } from "./turns.js";

/** What the connections of both HTTP versions share. A class, because it has state that changes with every request. */
export abstract class BaseConnection
  implements ServedConnection, RequestConnection, ByteHolder, InputHandler
{
  readonly socket: Socket;
  readonly peerAddress: string;
  readonly isSecure: boolean;
  readonly options: ConnectionOptions;
  readonly rules: RuleContext;
  readonly input: Input;
  /** Whether the connection has ended: nothing is served or sent any more. */
  isOver = false;
  /** The number of bytes that requests, their bodies and handlers hold. */
  #heldByRequests = 0;
  /** The held bytes that have been reported to the budget. */
  #reported = 0;

  /** @param clientAddress the address of the client if a proxy has sent it */
  constructor(socket: Socket, options: ConnectionOptions, clientAddress = socket.remoteAddress ?? "") {
    this.socket = socket;
    this.peerAddress = clientAddress;
    this.isSecure = "encrypted" in socket;
    this.options = options;
    this.rules = {
      methods: options.methods,
      isSecure: this.isSecure,
      isGateway: options.isGateway(this.peerAddress),
    };
    this.input = new Input(socket, this);
    socket.on("drain", () => this.onDrain());
    // A broken connection is not a server error; without a listener it would be an uncaught exception.
    socket.on("error", () => this.destroy());
    socket.on("close", () => this.destroy());
    socket.resume();
  }

  abstract handleInput(bytes: Buffer, until: number): number;
  abstract endInput(): void;
  abstract check(now: number): void;
  abstract shutDown(now: number, isLate: boolean): void;
  abstract readonly idleSince: number | undefined;
  abstract readonly stage: ConnectionStage;
  abstract readonly openRequests: readonly BaseRequest[];
  abstract inform(request: BaseRequest): void;
  /** The bytes of memory beyond the fixed cost of a connection, `hold`, the input, and what the socket has to send. */
  protected abstract readonly ownBytes: number;
  protected abstract onDrain(): void;
  /** Closes all requests. May be called more than once. */
  protected abstract closeRequests(): void;

  get traffic(): number {
    return this.socket.bytesRead + this.socket.bytesWritten;
  }

  get isOverdrawn(): boolean {
    return this.options.budget.isOverdrawn(this);
  }

  get queue(): Queue {
    return this.input.queue;
  }

  hold(bytes: number): void {
    this.#heldByRequests += bytes;
    if (bytes > 0 && !this.input.isHandling) {
      this.updateBudget();
    }
  }

  updateBudget(): void {
    const held = this.isOver
      ? 0
      : this.#heldByRequests + this.ownBytes + this.socket.writableLength + this.input.held;
    if (held !== this.#reported) {
      this.#reported = held;
      this.options.budget.set(this, held);
    }
  }

  /** Reports a request that does not reach the handler, and responds to it. */
  reject(request: BaseRequest, rejection: Rejection): void {
    this.options.onReject(rejection, this.peerAddress);
    const { headers, body } = this.options.formatRejection(rejection);
    request.respond(rejection.status, headers, body);
  }

  evict(): void {
    this.destroy();
  }

  destroy(): void {
    this.isOver = true;
    this.socket.destroy();
    this.input.close();
    this.closeRequests();
    this.updateBudget();
  }
}
