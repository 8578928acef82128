import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { Money } from '../domain/money.js';
import { inBirr, moneyOf } from './amounts.js';
import type { Caller } from './caller.js';
import { DemoError } from './demo-error.js';
import type { Transcript } from './transcript.js';

const messagesSchema = z.array(z.object({ text: z.string() }));
const booksSchema = z.object({
  payouts: z.array(z.object({ amount: z.string(), status: z.string(), at: z.iso.datetime() })),
});

/** A number of nobody: its last digits ask the sandbox for success, and it has no messages yet. */
export const newPhoneNumber = (): string =>
  `+2519${String(randomInt(100_000)).padStart(5, '0')}000`;

/** The messages that a phone of the sandbox has received, newest first. */
export const readPhone = (sandbox: Caller, title: string, msisdn: string) =>
  sandbox({
    title,
    path: `/messages?to=${encodeURIComponent(msisdn)}`,
    answer: messagesSchema,
  });

/** The newest verification code among messages. */
export function newestCode(messages: z.output<typeof messagesSchema>): string {
  for (const { text } of messages) {
    const code = /^(\d{6}) is your code/.exec(text)?.[1];
    if (code) return code;
  }
  throw new DemoError('No message with a verification code has arrived.');
}

/**
 * Looks the newest payout up in the books that the mobile-money provider keeps for itself.
 *
 * @throws {DemoError} when it is another one than expected
 */
export async function confirmPayout(
  { sandbox, transcript }: { readonly sandbox: Caller; readonly transcript: Transcript },
  expected: { readonly since: Date; readonly amount: Money; readonly fee: Money },
): Promise<void> {
  const { payouts } = await sandbox({
    title: "The money stands in the mobile-money provider's own books.",
    path: '/books',
    answer: booksSchema,
  });
  const [newest] = payouts.filter(({ at }) => new Date(at) >= expected.since);
  transcript.confirm(
    newest?.status === 'completed' && moneyOf(newest.amount) === expected.amount,
    `the merchant was paid ${inBirr(expected.amount)}, the fee was ${inBirr(expected.fee)}`,
  );
}
