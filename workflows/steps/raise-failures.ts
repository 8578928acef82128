import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { causeOf } from './failure-type.ts';

const MAXIMUM_SHOWN = 20;
const MAXIMUM_LENGTH = 300;

/** Each distinct failure of steps once, with the name of its step. */
export function failureLines(failures: readonly unknown[]): string[] {
  const lines = failures.map((failure) => {
    const step = failure instanceof ActivityFailure ? `${failure.activityType}: ` : '';
    const cause = causeOf(failure);
    return `${step}${cause instanceof Error ? cause.message : cause}`.slice(0, MAXIMUM_LENGTH);
  });
  return [...new Set(lines)].slice(0, MAXIMUM_SHOWN);
}

/** Fails a workflow some of whose steps have failed. */
export function raiseFailures(failures: readonly unknown[]): void {
  const [first, ...others] = failures;
  if (failures.length === 0) return;
  if (others.length === 0) throw first;
  throw ApplicationFailure.create({
    message: [`${failures.length} steps failed`, ...failureLines(failures)].join('\n'),
    type: 'StepsFailed',
    nonRetryable: true,
    ...(first instanceof Error ? { cause: first } : {}),
  });
}
