import { sql } from 'kysely';
import type { Environment } from '../../src/config/config.ts';
import { createMetrics } from '../../src/runtime/metrics/metrics.ts';
import { REDEEM, setGiftScene } from '../end-to-end/gift/gift-scene.ts';
import { samplesOf, sampleValue } from '../end-to-end/observation/samples.ts';
import { makeMerchant } from '../support/companies.ts';
import { until } from '../support/until.ts';
import type { Scrapes } from './firing-alerts.ts';

const settings = {
  METRICS_PORT: '0',
  METRICS_READ_SECONDS: '0.2',
  // Enough that nothing waits for a connection by chance.
  DATABASE_POOL_SIZE: '20',
  PAYMENT_ALARM_SECONDS: '1',
  CALLER_WAIT_SECONDS: '3',
  PROVIDER_BALANCE_MINIMUMS: 'gsma=100',
  // Alerts say when a Schedule of an hour is late.
  EXPIRY_RUN_INTERVAL_SECONDS: '3600',
  RECONCILE_INTERVAL_SECONDS: '3600',
  // Longer than the time for which rules are evaluated, so that readings get old on purpose alone.
  PROVIDER_BALANCE_INTERVAL_SECONDS: '43200',
  PROVIDER_BREAKER_CALLS: '6',
  PROVIDER_BREAKER_SECONDS: '5',
};
/** Readings of the state for which something may stand in an outbox by chance. */
const PASSING_READINGS = 5;
const OUTBOX_AGE = 'voucher_service_outbox_oldest_seconds';
const sources = ['database', 'temporal'] as const;

export type MonitoredScene = Awaited<ReturnType<typeof setMonitoredScene>>;

/** A service whose metrics are read, and the causes of alerts. */
export async function setMonitoredScene(more: Environment = {}) {
  const metrics = createMetrics();
  const gifts = await setGiftScene({ ...settings, ...more }, { metrics });
  const { database } = gifts.stack;
  const read = async (): Promise<string> => `up 1\n${await metrics.read()}`;
  const value = async (name: string, labels = {}) =>
    sampleValue(samplesOf(await read()), `voucher_service_${name}`, labels);
  /** Waits until workers have read the state after this moment. */
  const untilRead = (readable: readonly string[] = sources) => {
    const now = Date.now() / 1_000;
    return until(async () => {
      for (const source of readable) {
        const time = (await value('state_read_timestamp_seconds', { source })) ?? 0;
        // A round that has begun before it may not have seen what was done.
        if (time < now + 0.2) throw new Error(`The ${source} has not been read`);
      }
    });
  };
  /** What only passes through the outboxes leaves them; what is stuck there stays. */
  const untilPassed = async (readable: readonly string[]) => {
    for (let reading = 1; reading <= PASSING_READINGS; reading += 1) {
      await untilRead(readable);
      const samples = samplesOf(await read());
      if (!samples.some(({ name, value: age }) => name === OUTBOX_AGE && age > 0)) return;
    }
  };
  await gifts.gift();
  await untilRead();
  return {
    gifts,
    metrics,
    read,
    value,

    /** Makes a cause between two scrapes; `readable` is what workers can still read. */
    async during(
      cause: () => Promise<unknown>,
      readable: readonly (typeof sources)[number][] = sources,
    ): Promise<Scrapes> {
      const [at, before] = [new Date(), await read()];
      await cause();
      await untilPassed(readable);
      return { at, before, after: await read() };
    },

    /** Holds a lock in a transaction while something else runs. */
    whileLocked: (lock: string, work: () => Promise<unknown>) =>
      database.transaction().execute(async (transaction) => {
        await sql.raw(lock).execute(transaction);
        await work();
      }),

    /** A redemption at a merchant whose payments end as the sandbox's suffix says. */
    async redeemAt(payoutSuffix: string, holder: string | null = null): Promise<void> {
      const payee = await makeMerchant(gifts.stack, { payoutSuffix });
      await database
        .updateTable('merchant_payout_accounts')
        .set({ holder_name: holder })
        .where('merchant_id', '=', payee.id)
        .execute();
      const { voucherCode } = await gifts.gift({ owner: null, merchant: payee });
      await gifts.asPartner.post(REDEEM, { voucherCode });
    },
  };
}
