/** A request that ends once, for hosts without a connection that says so. */
export abstract class ClosableRequest {
  isClosed = false;
  readonly #listeners: (() => void)[] = [];

  onClose(listener: () => void): void {
    if (this.isClosed) {
      listener();
    } else {
      this.#listeners.push(listener);
    }
  }

  /** Ends the request. `first` is called before the listeners, and nothing at another call. */
  protected close(first: () => void): void {
    if (!this.isClosed) {
      this.isClosed = true;
      first();
      for (const listener of this.#listeners) {
        listener();
      }
    }
  }
}
