/** What a worker tells its supervisor. */
export type ToSupervisor =
  /** It takes requests; `isReady` is false while a service lacks the data that it needs. */
  | { readonly kind: "ready"; readonly url: string; readonly isReady: boolean }
  /** It will end, for it cannot start. */
  | { readonly kind: "problem"; readonly problem: string }
  /** All workers are to be asked something. */
  | { readonly kind: "ask"; readonly id: number; readonly question: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown };

/** What a supervisor tells a worker. */
export type ToWorker =
  | { readonly kind: "stop" }
  | { readonly kind: "question"; readonly id: number; readonly question: string }
  /** What came of the `ask` with this id. */
  | { readonly kind: "answers"; readonly id: number; readonly answers: readonly unknown[] };
