import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Workflow, WorkflowHandle } from '@temporalio/client';
import type { InjectedSinks } from '@temporalio/worker';
import type { AnswerSinks } from '../../../workflows/steps/answers.ts';
import type { WorkflowStart } from './workflow-starts.ts';

export type Answers = ReturnType<typeof createAnswers>;

/** An answer of a workflow, and whether the database keeps it. */
interface Told {
  readonly answer: unknown;
  readonly isKept: boolean;
}

/**
 * The answers of workflows to callers in the process of their worker. Such a caller has the answer before Temporal
 * has recorded it, and without asking for it.
 */
export function createAnswers() {
  const callers = new Map<string, (told: Told) => void>();
  const sinks: InjectedSinks<AnswerSinks> = {
    answers: {
      tell: {
        callDuringReplay: false,
        fn: ({ workflowId }, answer, isKept) => callers.get(workflowId)?.({ answer, isKept }),
      },
    },
  };

  /** Waits for the first answer of a workflow until `end`. Undefined where another caller waits for it. */
  function listen(workflowId: string) {
    if (callers.has(workflowId)) return undefined;
    const { promise, resolve } = Promise.withResolvers<Told>();
    callers.set(workflowId, resolve);
    return { answer: promise, end: () => callers.delete(workflowId) };
  }

  return { sinks, listen };
}

/** An answer that takes longer is asked for as well: its workflow may have gone to another process. */
const ASKED_AFTER_MS = 2_000;

/**
 * Starts a workflow, in this process (eagerly) where that is possible. Such a workflow tells its answer here; `ask`
 * gets that of another one through Temporal. A start of a running workflow is none. An answer that the database does
 * not keep ends its workflow, and `recorded` gives it once Temporal has recorded that end. If Temporal lost the end,
 * another task of the workflow has decided again, and its answer counts.
 */
export async function startAndAnswer<Answer, Run extends Workflow>(
  context: {
    readonly client: Client;
    readonly taskQueue: string;
    /** Undefined where no worker shares the client's connection. */
    readonly answers: Pick<Answers, 'listen'> | undefined;
  },
  { workflow, options }: WorkflowStart<Run>,
  caller: {
    ask(handle: WorkflowHandle<Run>): Promise<Answer>;
    recorded(handle: WorkflowHandle<Run>, told: Answer): Promise<Answer>;
    /** Called when the workflow has started. */
    started?(): Promise<void> | void;
  },
): Promise<Answer> {
  const { client, taskQueue, answers } = context;
  const told = answers?.listen(options.workflowId);
  const answered = new AbortController();
  try {
    const handle = await client.workflow.start<Workflow>(workflow, {
      ...options,
      taskQueue,
      workflowIdConflictPolicy: 'USE_EXISTING',
      requestEagerStart: answers !== undefined,
    });
    await caller.started?.();
    if (!told) return await caller.ask(handle);
    const patience = handle.eagerlyStarted ? ASKED_AFTER_MS : 0;
    const asked = sleep(patience, undefined, answered)
      .then(() => caller.ask(handle))
      .then((answer) => ({ answer, isKept: true }));
    const { answer, isKept } = await Promise.race([told.answer, asked]);
    return isKept ? (answer as Answer) : await caller.recorded(handle, answer as Answer);
  } finally {
    told?.end();
    answered.abort();
  }
}
