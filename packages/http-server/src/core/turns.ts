/**
 * Milliseconds of waiting work in one iteration of the event loop: as many as other work has taken, for example TLS handshakes,
 * within these limits.
 */
const MIN_TURN = 4;
const MAX_TURN = 20;
/** Milliseconds of work that does not wait in one iteration, and of waiting work for one client until the next client's turn. */
const SLICE = 2;
/** The milliseconds after which half of the time that a queue has used is forgotten. */
const HALF_LIFE = 10_000;
/** The number of levels of queues. Those of the first have used less than an eighth of a millisecond, those of the others twice as much each. */
const LEVELS = 17;

/** Of this number of slices of a client, one is for those that have used most, so that new connections do not hold them up forever. */
const LAST_FIRST = 8;

/** For {@link Turns.yields}: what a call of any method counts as before it has taken time, and one that is known to be costly. */
export const CALL = 0.2;
export const COSTLY_CALL = SLICE;

/** Work that waits. Works until a time of `performance.now()` if it can stop, and returns whether it is over. Must not throw. */
export type Work = (until: number) => boolean;

/**
 * The waiting work of a connection, or of a call without one. A client can have many. Those that have used least time lately go first, so
 * that a short request does not wait for long ones of others behind the same proxy.
 */
export interface Queue {
  /** The client, as named by {@link clientQueue}. */
  readonly client: string;
  readonly begun: Work[];
  readonly waiting: Work[];
  /** Whether work that has not begun goes next. */
  beginsNext: boolean;
  /** Milliseconds that its work has used, of which half is forgotten in each `HALF_LIFE` until `usedAt`. */
  used: number;
  usedAt: number;
  /** Its level while work waits, otherwise -1. */
  level: number;
}

/** Creates the queue of a connection or a call of a client. */
export function createQueue(client: string): Queue {
  return { client, begun: [], waiting: [], beginsNext: false, used: 0, usedAt: 0, level: -1 };
}

/**
 * Shares an event loop between clients. Work runs at once while there is time; otherwise it waits. Clients with waiting work
 * take turns. A client with much work delays others only by milliseconds.
 */
export interface Turns {
  /** Milliseconds for which work may continue now; 0 if it must wait. */
  timeLeft(): number;
  /** Whether a request may begin now: there is time, or it is part of work that has its turn. */
  mayBegin(): boolean;
  /** The time of `performance.now()` until which work may continue now; undefined if it must wait. */
  deadline(): number | undefined;
  /** Called when a connection has been accepted. Node accepts one in each iteration, so iterations are short while more wait. */
  onConnection(): void;
  /**
   * Whether work that may take `milliseconds` has to wait for other connections of its client, although there is time: their input is
   * read first, and work of those that have used less. If so, these milliseconds count instead of those that have passed, and `add` must follow.
   */
  yields(owner: { readonly queue: Queue }, milliseconds: number): boolean;
  /** Adds work that has not begun. */
  add(queue: Queue, work: Work): void;
  /** Resolves when asynchronous work may continue. The work takes no turn if `isOver` returns true by then. */
  wait(queue: Queue, isOver?: () => boolean): Promise<void>;
  /** Adds work that has begun. It takes turns with work of its queue that has not. */
  resume(queue: Queue, work: Work): void;
}

/** The queues of one client with waiting work. */
interface ClientWork {
  /** By level, in the order of their turns. */
  readonly levels: (Set<Queue> | undefined)[];
  size: number;
  slices: number;
}

/** Runs a function in the next iteration of the event loop. Not all runtimes have `setImmediate`. */
const nextIteration: (run: () => void) => void =
  globalThis.setImmediate === undefined ? (run) => setTimeout(run, 0) : (run) => setImmediate(run);

/**
 * Runs a function in this iteration of the event loop, once no microtask is left; undefined on runtimes that cannot. A microtask
 * that is queued now may run before others that it causes, but Node begins with ticks only after all microtasks.
 */
const afterMicrotasks: ((run: () => void) => void) | undefined =
  (globalThis as Partial<typeof globalThis>).process?.nextTick === undefined
    ? undefined
    : (run) => queueMicrotask(() => process.nextTick(run));

/** The number of the current iteration of the event loop, which only Node counts; undefined on other runtimes. */
function currentIteration(): number | undefined {
  const { nodeTiming } = performance as Partial<typeof performance>;
  return nodeTiming?.uvMetricsInfo?.loopCount;
}

/** Not the name of a client. */
const NOBODY = "nobody";

/** Creates an empty set of queues. */
export function createTurns(loopCount: () => number | undefined = currentIteration): Turns {
  /** In the order of their turns. */
  const clients = new Map<string, ClientWork>();
  let isScheduled = false;
  let hasNewConnection = false;
  /** Whether asynchronous work goes on in microtasks. What it takes is known only after them. */
  let isAwaited = false;
  /** When the turn of all clients ends. */
  let endOfClients = 0;
  /** The client whose slice it is, and when the slice ends. */
  let current = NOBODY;
  let endOfSlice = 0;
  /** Whether work of that client is being called. */
  let isWorking = false;
  /** The queue of the latest work, and until when its time is counted. */
  let running: Queue | undefined;
  let countedUntil = 0;
  let start = Number.NEGATIVE_INFINITY;
  let iteration = -1;
  let isCounting = false;
  /** When the latest turn ended, or the first work began to wait. */
  let waitingSince = 0;

  function deadline(): number | undefined {
    const now = performance.now();
    const end = isWorking ? endOfSlice : endOfTurn(now);
    return end > now ? end : undefined;
  }

  /** When work that does not wait has to end. */
  function endOfTurn(now: number): number {
    if (clients.size > 0) {
      return 0;
    }
    if (now - start >= SLICE) {
      const count = loopCount();
      if (count === undefined) {
        countIteration();
      } else if (count !== iteration) {
        iteration = count;
        start = now;
      }
    }
    return start + SLICE;
  }

  /** Begins the next slice in the next iteration, on a runtime that does not count them. */
  function countIteration(): void {
    if (!isCounting) {
      isCounting = true;
      nextIteration(() => {
        isCounting = false;
        start = performance.now();
      });
    }
  }

  /** Lists a queue in which work waits. */
  function list(queue: Queue): void {
    let work = clients.get(queue.client);
    if (work === undefined) {
      work = { levels: [], size: 0, slices: 0 };
      clients.set(queue.client, work);
    }
    if (queue.level < 0) {
      forget(queue);
      queue.level = Math.min(32 - Math.clz32(queue.used * 8), LEVELS - 1);
      const level = work.levels[queue.level] ?? new Set();
      work.levels[queue.level] = level.add(queue);
      work.size += 1;
    }
    if (!isScheduled) {
      isScheduled = true;
      waitingSince = performance.now();
      nextIteration(runTurn);
    }
  }

  function runTurn(): void {
    const now = performance.now();
    const isSkipped = hasNewConnection && now - waitingSince < MAX_TURN;
    hasNewConnection = false;
    if (isSkipped) {
      nextIteration(runTurn);
      return;
    }
    endOfClients = now + Math.min(Math.max(now - waitingSince, MIN_TURN), MAX_TURN);
    runClients();
  }

  /** Runs a slice of waiting work. What it causes in microtasks comes next, and then other slices until the turn is over. */
  function runClients(): void {
    isAwaited = false;
    let now = performance.now();
    count(now);
    while (clients.size > 0 && now < endOfClients) {
      runNext(now);
      now = performance.now();
      count(now);
      if ((isAwaited || now >= endOfSlice) && afterMicrotasks !== undefined) {
        afterMicrotasks(runClients);
        return;
      }
    }
    running = undefined;
    endSlice();
    waitingSince = now;
    isScheduled = clients.size > 0;
    if (isScheduled) {
      nextIteration(runTurn);
    }
  }

  /** Runs one piece of work of the client whose slice it is. */
  function runNext(now: number): void {
    if (now >= endOfSlice) {
      endSlice();
    }
    const [first] = clients;
    if (first === undefined) {
      return;
    }
    const [client, all] = first;
    if (client !== current) {
      current = client;
      all.slices += 1;
      endOfSlice = Math.min(now + SLICE, endOfClients);
    }
    const hasWork = (level: Set<Queue> | undefined) => level !== undefined && level.size > 0;
    const { levels, slices } = all;
    const [queue] = (slices % LAST_FIRST === 0 ? levels.findLast(hasWork) : levels.find(hasWork)) ?? [];
    if (queue === undefined) {
      return;
    }
    const { begun, waiting } = queue;
    const work = queue.beginsNext ? (waiting.shift() ?? begun.shift()) : (begun.shift() ?? waiting.shift());
    queue.beginsNext = !queue.beginsNext;
    running = queue;
    countedUntil = now;
    isWorking = true;
    if (work?.(endOfSlice) === false) {
      begun.unshift(work);
    }
    isWorking = false;
  }

  /** Counts the time of the latest work, and lists its queue behind others of the level that it has now. */
  function count(now: number): void {
    if (running === undefined) {
      return;
    }
    running.used += Math.max(0, now - countedUntil);
    countedUntil = Math.max(now, countedUntil);
    const work = clients.get(running.client);
    if (work === undefined || running.level < 0) {
      return;
    }
    work.levels[running.level]?.delete(running);
    work.size -= 1;
    running.level = -1;
    if (running.begun.length + running.waiting.length > 0) {
      list(running);
    } else if (work.size === 0) {
      clients.delete(running.client);
    }
  }

  /** Lets other clients go before the current one. */
  function endSlice(): void {
    const work = clients.get(current);
    if (work !== undefined) {
      clients.delete(current);
      clients.set(current, work);
    }
    current = NOBODY;
  }

  function yields(owner: { readonly queue: Queue }, milliseconds: number): boolean {
    if (clients.size === 0) {
      return false;
    }
    const { queue } = owner;
    forget(queue);
    const others = (clients.get(queue.client)?.size ?? 0) - (queue.level < 0 ? 0 : 1);
    if (queue.used >= milliseconds || others === 0) {
      return false;
    }
    queue.used = milliseconds;
    if (queue === running) {
      // The rest of this piece is short, unless the process is interrupted in it.
      countedUntil = Number.POSITIVE_INFINITY;
    }
    return true;
  }

  /** Forgets the time that a queue has used long ago. */
  function forget(queue: Queue): void {
    const now = performance.now();
    queue.used *= 0.5 ** ((now - queue.usedAt) / HALF_LIFE);
    queue.usedAt = now;
  }

  function add(queue: Queue, work: Work): void {
    queue.waiting.push(work);
    list(queue);
  }

  return {
    timeLeft: () => Math.max(0, (deadline() ?? 0) - performance.now()),
    mayBegin: () => isWorking || deadline() !== undefined,
    deadline,
    yields,
    add,
    wait: (queue, isOver) =>
      new Promise((resolve) => {
        add(queue, () => {
          isAwaited = isOver?.() !== true;
          resolve();
          return true;
        });
      }),
    onConnection: () => {
      hasNewConnection = true;
    },
    resume: (queue, work) => {
      queue.begun.push((until) => {
        const isOver = work(until);
        // Its result is awaited.
        isAwaited ||= isOver;
        return isOver;
      });
      list(queue);
    },
  };
}

/** The turns of this thread, which has one event loop. */
export const turns: Turns = createTurns();

/** An IPv4-mapped IPv6 address in any spelling (RFC 4291, section 2.5.5.2): zeros, `ffff`, and IPv4 with dots or as two groups. */
const MAPPED = /^(?:0{0,4}:){2,6}ffff:(?:(\d+\.\d+\.\d+\.\d+)|([\da-f]{1,4}):([\da-f]{1,4}))$/i;

/** An IPv4-mapped IPv6 address, as sockets for both families and proxies report it, as IPv4. Others stay as they are. */
export function plainAddress(address: string): string {
  const match = address.startsWith("::") || address.startsWith("0") ? MAPPED.exec(address) : null;
  if (match === null) {
    return address;
  }
  const [, dotted, ...groups] = match;
  const bytes = groups.map((group) => Number.parseInt(group, 16)).flatMap((pair) => [pair >> 8, pair & 0xff]);
  return dotted ?? bytes.join(".");
}

/** Whether a peer is on the same machine. */
export function isLoopback(address: string): boolean {
  return address === "::1" || clientQueue(address).startsWith("127.");
}

/**
 * Returns the name of a client's queue: its IPv4 address, or the /64 network of its IPv6 address, the smallest that a customer
 * gets (RFC 6177).
 */
export function clientQueue(address: string): string {
  const plain = address.includes(":") ? plainAddress(address) : address;
  if (!plain.includes(":")) {
    return plain;
  }
  // `::` stands for groups of zeros (RFC 4291, section 2.2).
  const [head = "", tail = ""] = plain.split("::");
  const [first, last] = [head, tail].map((part) => (part === "" ? [] : part.split(":")));
  const groups = [...(first ?? []), ...(last ?? [])];
  const zeros = Array<string>(Math.max(0, 8 - groups.length)).fill("0");
  return [...(first ?? []), ...zeros, ...(last ?? [])]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
