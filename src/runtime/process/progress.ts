import { clearLine, cursorTo } from 'node:readline';
import type { WriteStream } from 'node:tty';

/** Shows people the running steps of long work. */
export interface Progress {
  /**
   * Runs one step and prints its title with the seconds it took.
   *
   * @param work gets `note`, which shows a detail of a step that takes long
   * @throws whatever `work` throws, after the step was printed as failed
   */
  step<Result>(
    title: string,
    work: (note: (detail: string) => void) => Promise<Result>,
  ): Promise<Result>;
  /** Prints a line between those of the steps. */
  print(line: string): void;
}

/** Prints nothing. */
export const silentProgress: Progress = {
  step: (_title, work) => work(() => {}),
  print: () => undefined,
};

interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface Step {
  readonly title: string;
  readonly startedAt: number;
  detail: string;
}

const REDRAW_MILLISECONDS = 250;
const PLAIN_LINE_MILLISECONDS = 5_000;

/**
 * Prints one line per step. On a terminal a last line shows the running steps and is redrawn. Where
 * lines cannot be redrawn (a log file, CI) a step that takes long is repeated every five seconds.
 */
export function createProgress(output: Output = process.stdout): Progress {
  const running = new Set<Step>();
  let timer: NodeJS.Timeout | undefined;
  let shownAt = Date.now();

  const seconds = (step: Step) => `${((Date.now() - step.startedAt) / 1000).toFixed(1)} s`;
  const describe = (step: Step) =>
    `${step.title} … ${seconds(step)}${step.detail === '' ? '' : ` · ${step.detail}`}`;

  const clearStatus = () => {
    if (!output.isTTY) return;
    cursorTo(output as WriteStream, 0);
    clearLine(output as WriteStream, 0);
  };
  const print = (line: string) => {
    clearStatus();
    output.write(`${line}\n`);
  };
  const showRunning = () => {
    shownAt = Date.now();
    if (output.isTTY) {
      clearStatus();
      const width = (output.columns ?? 80) - 1;
      output.write([...running].map(describe).join(' | ').slice(0, width));
    } else {
      for (const step of running) print(`  ${describe(step)}`);
    }
  };
  const schedule = () => {
    if (running.size > 0 && timer === undefined) {
      timer = setInterval(
        showRunning,
        output.isTTY ? REDRAW_MILLISECONDS : PLAIN_LINE_MILLISECONDS,
      );
      timer.unref();
    } else if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };

  return {
    print,
    async step(title, work) {
      const step: Step = { title, startedAt: Date.now(), detail: '' };
      running.add(step);
      schedule();
      let mark = '✗';
      try {
        const result = await work((detail) => {
          step.detail = detail;
          // Work that never waits lets no timer fire.
          if (output.isTTY && Date.now() - shownAt > REDRAW_MILLISECONDS) showRunning();
        });
        mark = '✓';
        return result;
      } finally {
        running.delete(step);
        schedule();
        print(`${mark} ${title} (${seconds(step)})`);
      }
    },
  };
}
