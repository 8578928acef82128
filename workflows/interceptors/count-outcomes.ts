import {
  ContinueAsNew,
  isCancellation,
  metricMeter,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';
import { answersOfStarts } from '../contracts.ts';
import { calledPerson } from '../steps/failures.ts';

/** How a workflow, or its answer to an update, ended: few values, for the label of a metric. */
type Outcome = 'done' | 'refused' | 'continued' | 'needs-action' | 'cancelled' | 'failed';

const starts = () => metricMeter.createCounter('voucher_service_workflow_starts');
const ends = () => metricMeter.createCounter('voucher_service_workflow_ends');
const updates = () => metricMeter.createCounter('voucher_service_workflow_updates');

/** Counts an answer to the API by its outcome. */
export function countAnswer(update: string, answering: Promise<unknown>): void {
  const count = (outcome: Outcome) => updates().add(1, { update, outcome });
  answering.then(
    (result) => count(outcomeOf(result)),
    (error) => count(failureOf(error)),
  );
}

/**
 * Counts the starts, ends and answers of workflows by their outcome. The SDK leaves out what is only
 * replayed, and a metric is no command: histories do not know of it. The promises pass through as they
 * are, since one more turn between them would change the order of commands.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  inbound: [
    {
      execute(input, next) {
        starts().add(1);
        const running = next(input);
        running.then(
          (result) => ends().add(1, { outcome: outcomeOf(result) }),
          (error) => ends().add(1, { outcome: failureOf(error) }),
        );
        return running;
      },
      handleUpdate(input, next) {
        const answering = next(input);
        // The answer of a start is counted where it is made: not all of its callers ask for it.
        if (!answersOfStarts.includes(input.name)) countAnswer(input.name, answering);
        return answering;
      },
    },
  ],
  outbound: [
    {
      // The name that the SDK's own metrics have for it.
      getMetricTags: ({ workflowType = '' }) => ({ workflow_type: workflowType }),
    },
  ],
});

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Refusals are values: of an operation, or as the end of a claim. */
function outcomeOf(value: unknown): Outcome {
  if (!isObject(value)) return 'done';
  const { result, ended } = value;
  if (isObject(result) && result.ok === false) return 'refused';
  return ended === 'refused' || ended === 'not-paid' ? 'refused' : 'done';
}

function failureOf(error: unknown): Outcome {
  if (error instanceof ContinueAsNew) return 'continued';
  if (isCancellation(error)) return 'cancelled';
  return calledPerson(error) ? 'needs-action' : 'failed';
}
