import { SingleBar } from 'cli-progress';

/** How far a long command is. */
export interface ImportProgress {
  /** Begins a part of the work, such as "Checking", with so many steps. */
  begin(part: string, steps: number): void;
  /** So many more steps are done. */
  advance(steps: number): void;
  /** Takes what is shown away, so that what follows stands alone. */
  end(): void;
}

/** Progress on a terminal; where there is none, nothing is shown. */
export function createProgress(
  stream: { write(text: string): unknown; readonly isTTY?: boolean } | undefined,
): ImportProgress {
  if (!isTerminal(stream)) return { begin() {}, advance() {}, end() {} };
  let bar: SingleBar | undefined;
  const end = () => {
    bar?.stop();
    bar = undefined;
  };
  return {
    begin(part, steps) {
      end();
      bar = new SingleBar({
        stream,
        format: `${part} [{bar}] {value} of {total}`,
        clearOnComplete: true,
        // Its handler of Ctrl-C would only stop the bar.
        gracefulExit: false,
      });
      bar.start(steps, 0);
    },
    advance: (steps) => bar?.increment(steps),
    end,
  };
}

const isTerminal = (stream: object | undefined): stream is NodeJS.WriteStream =>
  stream !== undefined && 'isTTY' in stream && stream.isTTY === true;
