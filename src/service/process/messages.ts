/** What a worker tells its supervisor. */
export type ToSupervisor =
  /** It hears what it is told from now on; what came before, while its program was loaded, is lost. */
  | { readonly kind: "attentive" }
  /** It takes requests. */
  | { readonly kind: "ready"; readonly url: string }
  /** It will end, for it cannot start. */
  | { readonly kind: "problem"; readonly problem: string }
  /** All workers are to be asked something. */
  | { readonly kind: "ask"; readonly id: number; readonly question: string }
  | { readonly kind: "answer"; readonly id: number; readonly answer: unknown }
  /** It is about to end: what it would answer from now on. */
  | { readonly kind: "last"; readonly question: string; readonly answer: unknown };

/** What a supervisor tells a worker. */
export type ToWorker =
  | { readonly kind: "stop" }
  | { readonly kind: "question"; readonly id: number; readonly question: string }
  /** What came of the `ask` with this id. */
  | { readonly kind: "answers"; readonly id: number; readonly answers: readonly unknown[] };
