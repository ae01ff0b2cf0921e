import { useEffect, useState } from "preact/hooks";

/** The page's clock that does not go back, in milliseconds, every so often while the page is seen. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const tick = () => document.hidden || setNow(performance.now());
    const timer = setInterval(tick, interval);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [interval]);
  return now;
}
