import { describe, expect, it } from 'vitest';
import { reasons } from '../../../src/domain/reasons.ts';
import { refuse } from '../../../src/domain/refusals.ts';
import { refusedCallWords } from '../../../src/domain/repairs.ts';

type Reason = keyof typeof reasons;

describe('the words of a repair whose operation was refused', () => {
  it.each(Object.keys(reasons) as Reason[])('say what to do instead: %s', (reason) => {
    const words = refusedCallWords(refuse(reason));
    const [why = '', instead = ''] = words.split(/(?<=\.) /, 2);
    expect(why).toMatch(/^[A-Z].+\.$/);
    expect(instead).toMatch(/^[A-Z].+\w[.,:]?$/);
  });

  it('send nobody of the support to the support', () => {
    const asked: Reason[] = ['account-suspended', 'company-messages-exhausted', 'resend-too-soon'];
    const advice = asked.map((reason) => refusedCallWords(refuse(reason)));
    expect(advice.map((words) => words.split('. ').slice(1).join('. '))).toEqual([
      'Ask an operator whether the company may go on, then ask again.',
      'Ask an operator for a higher limit, or let the merchant claim again later.',
      'Ask the owner to look among all messages. If it is not there, send it again.',
    ]);
  });

  it.each([
    ['resend-too-soon', 1, '1 second'],
    ['resend-too-soon', 60, '60 seconds'],
    ['messages-refused', 3_500, '59 minutes'],
    ['messages-exhausted', 14_000, '4 hours'],
  ] as const)('say when it is possible: %s after %i s', (reason, retryAfterSeconds, wait) => {
    expect(refusedCallWords(refuse(reason, { retryAfterSeconds }))).toMatch(
      new RegExp(` It is possible in ${wait}\\.$`),
    );
  });

  it('keep the detail of the case', () => {
    expect(refusedCallWords(refuse('topup-failed', { detail: 'The number is barred.' }))).toMatch(
      /can be retried: The number is barred\. Compare the number/,
    );
  });
});
