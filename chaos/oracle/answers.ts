import type { Reason } from '../../src/domain/refusals.ts';
import type { ClientLog, KeyedCalls, LogEntry } from '../clients/client-log.ts';
import { contentOf, nameOf } from '../clients/client-log.ts';
import { asFirstTold, bodyOf } from '../clients/outcome.ts';
import { ANSWER_SECONDS } from '../clients/send-call.ts';

/** Checks every answer by itself, and that one key has one answer (I9, I15). */
export function checkAnswers(log: ClientLog): string[] {
  return [...log.entries.flatMap(checkOne), ...log.keyed().flatMap(checkKey)];
}

/** Answers 500 that are right: the fault `short-reserve` takes the reserve away. */
const FAULTS_OF_THE_BOOKS: readonly Reason[] = ['reserve-not-debited', 'reserve-not-updated'];

function checkOne({ call, response, outcome, sentAt, number }: LogEntry): string[] {
  const where = `call ${number} at ${sentAt}, ${nameOf(call)}`;
  if (response.kind === 'lost')
    return response.why === 'TimeoutError'
      ? [`${where}: no answer within ${ANSWER_SECONDS} s`]
      : [];
  const body = bodyOf(response);
  // A log-in that succeeds answers in a form of its own.
  const isLogIn = call.operation === 'login' && body?.success;
  if (!body || !('data' in body || isLogIn))
    return [`${where}: no envelope, but ${response.text.slice(0, 200)}`];
  const isExpected = outcome.kind === 'refused' && FAULTS_OF_THE_BOOKS.includes(outcome.reason);
  if (body.statusCode === 500 && !isExpected) return [`${where}: 500 ${body.message}`];
  return [];
}

/**
 * Answers that say how an operation ended must be the same, byte for byte. A key that was used for
 * several requests has at most one that was done: which of them a refusal belonged to may change.
 */
function checkKey(calls: KeyedCalls): string[] {
  const contents = new Set(calls.entries.map(({ call }) => contentOf(call)));
  const done = calls.entries.filter(({ outcome }) => outcome.kind === 'done');
  const bound = calls.entries.filter(
    ({ outcome }) => outcome.kind === 'refused' && outcome.isBound,
  );
  const ended = contents.size === 1 ? [...done, ...bound] : done;
  const answers = new Set(ended.map(textOf));
  if (answers.size <= 1) return [];
  const shown = [...answers].join(' / ');
  return [`${nameOf(calls)} was answered in ${answers.size} ways: ${shown}`];
}

const textOf = ({ response, call }: LogEntry): string =>
  response.kind === 'lost'
    ? ''
    : `${contentOf(call)} ${response.status} ${asFirstTold(response.text)}`;
