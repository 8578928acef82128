import { condition } from '@temporalio/workflow';

/** More conditions than stand, one after the other, between an end and what a workflow does next. */
const ROUNDS = 4;

type Steps = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/**
 * Runs local activities of one workflow one after the other, in the order in which they are asked
 * for, and lets what follows from each come last. Their ends are markers: in a replay those of one
 * workflow task come together, and with whatever else it brought, so that steps under way at the same
 * time would lead to commands in another order, and nothing could take the workflow over any more.
 */
export function serializeActivities<These extends Steps>(steps: These): These {
  let isBusy = false;
  const waiting: (() => void)[] = [];

  async function run(step: () => Promise<unknown>): Promise<unknown> {
    if (isBusy) await new Promise<void>((resolve) => waiting.push(resolve));
    isBusy = true;
    try {
      return await step();
    } finally {
      await untilOthersWentOn();
      const next = waiting.shift();
      if (next) next();
      else isBusy = false;
    }
  }

  return new Proxy(steps, {
    get:
      (target, name: string) =>
      (...parameters: never[]) =>
        run(() => (target[name] as Steps[string])(...parameters)),
  });
}

/** Gives way to all that the same activation of the workflow has set going. */
async function untilOthersWentOn(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    let isAskedAgain = false;
    // Conditions are asked at once, and again when no promise is left that could go on: others' are
    // met then, too.
    await condition(() => {
      const answer = isAskedAgain;
      isAskedAgain = true;
      return answer;
    });
  }
}
