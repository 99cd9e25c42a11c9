import { bar } from "../display/share.ts";

const WORTH_SHOWING = 20 * 2 ** 20;
const COLUMNS = 40;
const REDRAW_MS = 100;

/** A progress bar on a terminal; nothing where there is none, or when little is read. */
export interface ProgressBar {
  show(done: number, all: number): void;
  clear(): void;
}

export function createProgressBar(stream: NodeJS.WriteStream, now: () => number = Date.now): ProgressBar {
  let drawnAt = Number.NEGATIVE_INFINITY;
  const drawn = () => drawnAt > Number.NEGATIVE_INFINITY;
  return {
    show(done, all) {
      if (!stream.isTTY || all < WORTH_SHOWING || now() - drawnAt < REDRAW_MS) return;
      drawnAt = now();
      // A file may have grown since it was measured.
      const share = Math.min(done / all, 1);
      stream.write(
        `\r${bar(share, COLUMNS).padEnd(COLUMNS)} ${megabytes(done)} of ${megabytes(all)} MB\x1b[K`,
      );
    },
    clear() {
      if (drawn()) stream.write("\r\x1b[K");
    },
  };
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
