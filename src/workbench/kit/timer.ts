import { useEffect } from "preact/hooks";

/**
 * Calls a function after a delay in milliseconds, or never if it is undefined. Another delay or another of the `inputs` starts the
 * delay again.
 */
export function useTimer(delay: number | undefined, run: () => void, inputs: readonly unknown[]): void {
  useEffect(() => {
    if (delay === undefined) {
      return;
    }
    const timer = setTimeout(run, delay);
    return () => clearTimeout(timer);
  }, [delay, ...inputs]);
}
