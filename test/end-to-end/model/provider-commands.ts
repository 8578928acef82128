import { expect } from 'vitest';
import { settleAlone } from '../../positions/cases.ts';
import { askNow } from '../../positions/placements.ts';
import { call } from '../../support/clients.ts';
import { addServiceFees } from '../../support/companies.ts';
import { until } from '../../support/until.ts';
import { reconciled } from '../faults/reconciled.ts';
import { command, type ModelCommand } from './gift-commands.ts';
import { type ModelAttempt, type ModelTopup, openOf, settle } from './model.ts';
import { inEtb, type RealService } from './real-service.ts';

type Choice = 'payer' | 'platform' | 'nobody';

/**
 * The provider of an attempt changes its mind several times: it delivers what it had refused, and takes back what it
 * had delivered. Somebody bears the difference after each change, or it ends by itself; at last somebody does.
 */
export const changeMindCommand = (options: {
  place: number;
  attempt: number;
  choices: readonly Choice[];
}): ModelCommand =>
  command(
    `change mind ${JSON.stringify(options)}`,
    ({ topups }) => topups.length > 0,
    async (model, real) => {
      const index = options.place % model.topups.length;
      const topup = model.topups[index] as ModelTopup;
      const number = options.attempt % topup.attempts.length;
      const attempt = topup.attempts[number] as ModelAttempt;
      const reference = await referenceOf(real, index, number + 1);
      for (const [change, choice] of options.choices.entries()) {
        attempt.isDone = !attempt.isDone;
        await changeMind(real, reference, attempt.isDone);
        const open = openOf(topup.amount, attempt);
        expect((await openIn(real, reference)) ?? 0).toBe(open / 100);
        const isLast = change === options.choices.length - 1;
        if (open === 0 || (choice === 'nobody' && !isLast)) continue;
        const isCovered = model.airtime >= open;
        const by = choice === 'platform' || !isCovered ? 'platform' : 'payer';
        if (by === 'platform' && open > 0) await addServiceFees(real.stack, inEtb(open));
        settle(model, topup, attempt, by);
        await settleAlone(real.stack.database, reference, by);
        expect(await openIn(real, reference)).toBeUndefined();
      }
    },
  );

const referenceOf = async (
  { stack, topupIds }: RealService,
  index: number,
  attempt: number,
): Promise<string> => {
  const { reference } = await stack.database
    .selectFrom('topup_attempts')
    .select('reference')
    .where('topup_id', '=', topupIds[index] ?? 0)
    .where('attempt', '=', attempt)
    .executeTakeFirstOrThrow();
  return reference;
};

/** The provider does an attempt, or takes it back, and the books hear of it. */
async function changeMind({ stack }: RealService, reference: string, isDone: boolean) {
  const { database, sandbox } = stack;
  const status = isDone ? 'completed' : 'reversed';
  const answer = await call(`${sandbox.url}/books/topups/${reference}`, { body: { status } });
  expect(answer.status).toBe(200);
  await until(async () => {
    await askNow(database, reference);
    await reconciled(stack);
    const { said } = await database
      .selectFrom('placements')
      .select('said')
      .where('reference', '=', reference)
      .executeTakeFirstOrThrow();
    expect(said).toBe(isDone ? 'done' : 'undone');
  });
}

/** ETB that the open case of an attempt is about; undefined where none is open. */
const openIn = async ({ stack }: RealService, reference: string): Promise<number | undefined> => {
  const found = await stack.database
    .selectFrom('cases')
    .select('amount')
    .where('reference', '=', reference)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  return found && Number(found.amount);
};
