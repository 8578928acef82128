import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { ActivityDependencies } from '../../../activities/dependencies.ts';
import { createAskActivities } from '../../../activities/positions.ts';
import { createPaymentActivities } from '../../../activities/redemptions/payments.ts';
import { createReversalCallActivities } from '../../../activities/redemptions/reversals.ts';
import { createTopupOrderActivities } from '../../../activities/topups/topup-orders.ts';
import { createTopupActivities } from '../../../activities/topups/topups.ts';
import { createDigests } from '../../../src/crypto/digests.ts';
import { addRoute } from '../../../src/db/providers.ts';
import type { AccountAnswer } from '../../../src/providers/mobile-money/mobile-money.ts';
import type { ProviderInquiry, ProviderOutcome } from '../../../src/providers/outcome.ts';
import { makeVoucher, redemptions } from '../../admin/movements.ts';
import { makeCatalogue, openScene } from '../../admin/scene.ts';
import { testNumbers } from '../../end-to-end/privacy/stored-numbers.ts';
import { placementsOf } from '../../positions/placements.ts';

export const delivered: ProviderOutcome = { kind: 'delivered', providerReference: 'P-1' };
export const notSent: ProviderOutcome = { kind: 'not-sent', message: 'no connection' };
const neverSeen: ProviderInquiry = { kind: 'never-seen' };
export const unknown: ProviderOutcome = { kind: 'unknown', message: 'no answer' };
export const refused = (retryCanHelp: boolean): ProviderOutcome => ({
  kind: 'refused',
  code: 'X',
  message: 'the float is empty',
  retryCanHelp,
});

/** Runs an activity as Temporal does, in the given attempt. */
export const inAttempt = <Result>(
  attempt: number,
  run: () => Promise<Result>,
  error: (message: string) => void = () => undefined,
  cancellationSignal: AbortSignal = new AbortController().signal,
): Promise<Result> => {
  const log = { warn: () => undefined, error };
  const context = { info: { attempt }, heartbeat: () => undefined, log, cancellationSignal };
  return asyncLocalStorage.run(context as unknown as Context, run);
};

export type TwoProviders = Awaited<ReturnType<typeof openTwoProviders>>;

/** Two providers of payments and of top-ups; the second one is asked where the first did nothing. */
export async function openTwoProviders() {
  const scene = await openScene();
  const catalogue = await makeCatalogue(scene);
  for (const wallet of ['gift', 'airtime'])
    await scene.json(
      `money deposit --partner ${catalogue.partnerId} --wallet ${wallet} --amount 100000`,
    );
  const none = { operator: null, partner_id: null, merchant_id: null };
  const always = { ...none, amount_from: null, amount_to: null };
  for (const [kind, provider, position] of [
    ['payout', 'gsma', 1],
    ['payout', 'mpesa', 2],
    ['topup-airtime', 'dt-one', 1],
    ['topup-airtime', 'reloadly', 2],
  ] as const)
    await scene.database
      .transaction()
      .execute((transaction) => addRoute(transaction, { kind, provider, position, ...always }));

  const asUsual = () => ({
    /** What each provider was asked, in order: "first send", "second ask". */
    asked: [] as string[],
    /** What each provider answers to a sending; a function may break off the activity. */
    answers: { first: () => delivered, second: () => delivered } as Record<
      'first' | 'second',
      () => ProviderOutcome | Promise<ProviderOutcome>
    >,
    /** What each provider answers to an inquiry. */
    found: { first: neverSeen, second: neverSeen } as Record<'first' | 'second', ProviderInquiry>,
    /** The orders and payments that providers were asked about. */
    inquiries: [] as unknown[],
    /** The id under which the provider of the last inquiry took the order, as it is known here. */
    known: undefined as unknown,
    /** What happens while a provider is asked. */
    whileAsked: async (): Promise<unknown> => undefined,
    /** What the first provider says of a payout account; undefined where it cannot say anything. */
    account: undefined as AccountAnswer | undefined,
    unavailable: undefined as string | undefined,
    /** Whether the providers pay a repeated payment again. */
    repetition: 'safe' as 'safe' | 'never',
  });

  const two = {
    scene,
    catalogue,
    ...asUsual(),
    reset: () => Object.assign(two, asUsual()),

    activities() {
      const dependencies = {
        database: scene.database,
        digests: createDigests({ digestKey: Buffer.alloc(32, 7) }),
        numbers: testNumbers,
        failpoint: () => undefined,
        mobileMoney: setOf('gsma', 'mpesa'),
        airtime: setOf('dt-one', 'reloadly'),
        settings: {
          topups: { reversalWatchSeconds: 259_200 },
          schedules: { reconcileIntervalSeconds: 1 },
        },
        starters: { nudgeTopup: async () => undefined },
      } as unknown as ActivityDependencies;
      return {
        ...createPaymentActivities(dependencies),
        ...createReversalCallActivities(dependencies),
        ...createTopupActivities(dependencies),
        ...createTopupOrderActivities(dependencies),
        ...createAskActivities(dependencies),
      };
    },

    pay: (operationId: string, { attempt = 1, isFirst = true } = {}) =>
      inAttempt(attempt, () => two.activities().payMerchant(operationId, 1, isFirst)),

    async hold() {
      const { id } = await makeVoucher(scene.database, catalogue);
      return redemptions(scene.database, catalogue).hold(id);
    },

    void: (operationId: string) => redemptions(scene.database, catalogue).void(operationId),

    providerOf: async (operationId: string) =>
      (await placementsOf(scene.database, operationId)).at(-1)?.provider,

    /** The providers before the present one, and what they said. */
    failoversOf: async (operationId: string) =>
      (await placementsOf(scene.database, operationId))
        .slice(0, -1)
        .map(({ provider, message }) => ({ from: provider, message })),
  };

  /** A set of the two under these names. */
  function setOf(first: string, second: string) {
    const port = (who: 'first' | 'second') => {
      const send = async (): Promise<ProviderOutcome> => {
        two.asked.push(`${who} send`);
        return two.answers[who]();
      };
      const ask = async (order: unknown, ...known: unknown[]): Promise<ProviderInquiry> => {
        two.asked.push(`${who} ask`);
        two.inquiries.push(order);
        two.known = known.at(-1);
        await two.whileAsked();
        return two.found[who];
      };
      return {
        repetition: two.repetition,
        ...(who === 'first' && two.account && { checkAccount: async () => two.account }),
        canCarry: () => true,
        canSend: () => true,
        pay: send,
        send,
        findPayment: ask,
        findOrder: ask,
        reversals: { reverse: send, findReversal: ask },
      };
    };
    const ports = new Map([
      [first, port('first')],
      [second, port('second')],
    ]);
    return {
      defaultName: first,
      names: [first, second],
      named: (name: string | null) => ports.get(name ?? first),
      isAvailable: (name: string) => name !== two.unavailable,
    };
  }

  return two;
}
