import { randomUUID } from 'node:crypto';
import { firstMonth, readCompanyMonth } from '../../src/db/ledger/monthly-statements.ts';
import { readDayReport } from '../../src/db/reports/day-report.ts';
import { dayOfTime } from '../../src/domain/day-report.ts';
import { deposit } from '../support/companies.ts';
import { makeTopupProducts } from '../support/topups.ts';
import { done, otherCode } from './gift/gift-scene.ts';
import { type RedemptionScene, redeem } from './gift/redemption-scene.ts';
import { idOf, sale } from './topups/topup-scene.ts';

/** What companies do all day, and what Schedules do for them. */
export async function liveThroughTheService(scene: RedemptionScene): Promise<void> {
  const { stack, asPartner, partner } = scene;
  for (const surface of ['partner', 'merchant'] as const) {
    const payee = await scene.payee(surface);
    const gift = await scene.gift({ merchant: payee.merchant, denomination: 500 });
    const code = await scene.claimed(payee.client, gift, { amount: 100 });
    await redeem(payee.client, gift, { verificationCode: otherCode(code) });
    done(await redeem(payee.client, gift, { verificationCode: code }));
    await scene.claimed(payee.client, gift);
    await scene.claimed(payee.client, gift);
    const anonymous = await scene.gift({ owner: null, merchant: payee.merchant });
    done(await redeem(payee.client, anonymous));
  }
  await makeTopupProducts(stack, partner);
  await deposit(stack, partner.id, '1000', 'airtime');
  const topup = (msisdn: string) =>
    asPartner.post('/topup-transactions/airtime-topup', { amount: 50, msisdn, ...sale });
  const delivered = await topup('+251910000000');
  const failed = await topup('+251910000002');
  const again = { transactionId: idOf(failed), msisdn: '+251910000000' };
  done(await asPartner.post('/topup-transactions/retry-topup', again));
  done(await asPartner.get(`/topup-transactions/${idOf(delivered)}`));
  done(await asPartner.get('/topup-transactions?sortBy=createdAt:DESC&limit=10'));
  done(await asPartner.get('/topup-transactions?sortBy=amount:DESC&limit=10'));
  done(await asPartner.get('/vouchers?sortBy=createdAt:DESC&limit=10'));
  done(await asPartner.get('/vouchers?status=ACTIVE&sortBy=expirationDate:ASC'));
  const seen = await scene.gift();
  done(await asPartner.get(`/vouchers/${seen.id}`));
  await scene.claimed(scene.asMerchant, seen);
  done(await asPartner.post(`/vouchers/${seen.id}/resend`, undefined));
  done(await asPartner.post(`/vouchers/${seen.id}/cancel`, undefined));
  done(await scene.asMerchant.get('/redemptions?sortBy=createdAt:DESC'));
  done(await scene.asMerchant.get('/payouts'));
  done(await asPartner.get('/info/get-current-balance'));
  done(await asPartner.get('/transactions?order=oldest'));
  done(await asPartner.get('/transactions?wallet=gift&from=2026-01-01T00:00:00Z'));
  const zone = 'Africa/Addis_Ababa';
  for (const company of [
    { kind: 'partner', id: partner.id },
    { kind: 'merchant', id: scene.merchant.id },
  ] as const) {
    const month = await firstMonth(stack.database, company, zone);
    if (month) await readCompanyMonth(stack.database, company, { month, zone });
  }
  await readDayReport(stack.database, { day: dayOfTime(new Date(), zone), zone });
  const due = await scene.gift();
  await scene.expire(due);
  // Once more, as the second check of the books meets what the first has left.
  for (const workflow of ['expireVouchers', 'reconcile', 'reconcile', 'checkBooks'])
    await stack.temporal.client.workflow.execute(workflow, {
      workflowId: `${workflow}-${randomUUID()}`,
      taskQueue: stack.config.temporal.temporalTaskQueue,
    });
}
