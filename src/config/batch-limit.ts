/** The limit of inputs in one batch. */
export const MAX_BATCH_ITEMS = 1000;
