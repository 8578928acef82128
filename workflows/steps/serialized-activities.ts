import { condition } from '@temporalio/workflow';
import { type Turns, untilNotRefused } from './refused-steps.ts';

/** More conditions than can follow one another between an end and the next action of a workflow. */
const ROUNDS = 4;

type Steps = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/**
 * Runs the local activities of a workflow one at a time, in the order of the calls, and runs
 * continuations last. Their ends are markers. A replay delivers the markers of one workflow task
 * together, along with all other events of the task. Concurrent steps would therefore lead to a
 * different order of commands, and no worker could take the workflow over.
 */
export function serializeActivities<These extends Steps>(steps: These): These {
  const turns = createTurns();
  return new Proxy(steps, {
    get:
      (target, name: string) =>
      (...parameters: never[]) =>
        untilNotRefused(() => (target[name] as Steps[string])(...parameters), turns),
  });
}

function createTurns(): Turns {
  let isBusy = false;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
      isBusy = true;
    },
    othersWentOn: untilOthersWentOn,
    pass() {
      const next = waiting.shift();
      if (next) next();
      else isBusy = false;
    },
  };
}

/** Yields to everything that the same activation of the workflow started. */
async function untilOthersWentOn(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isAskedAgain = false;
    // Conditions are evaluated at once, and again when no promise can continue: by then other
    // conditions are met, too.
    await condition(() => {
      const answer = isAskedAgain;
      isAskedAgain = true;
      return answer;
    });
  }
}
