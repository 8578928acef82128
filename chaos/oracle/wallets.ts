import { formatMoney, parseMoney } from '../../src/domain/money.ts';
import {
  type ClientLog,
  finalEntry,
  type KeyedCalls,
  partnerCompany,
} from '../clients/client-log.ts';
import { bodyOf } from '../clients/outcome.ts';
import { readSurely } from '../clients/read-surely.ts';
import type { SendCall } from '../clients/send-call.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';
import type { ChaosPartner, World } from '../world.ts';
import { generatedVouchers, type ToldLine } from './bulk-orders.ts';

/**
 * Compares what the API says is in each wallet with what was deposited, less all that clients were
 * told was done, and the lines of bulk orders that are listed as generated: the arithmetic of a partner who keeps books of his own.
 */
export async function compareWallets(
  stack: ThrowawayStack,
  parts: {
    readonly world: World;
    readonly log: ClientLog;
    readonly send: SendCall;
    readonly lines: readonly ToldLine[];
  },
): Promise<string[]> {
  const prices = await topupPrices(stack);
  const returned = await returnedValues(stack);
  const done = parts.log.keyed().filter((calls) => finalEntry(calls)?.outcome.kind === 'done');
  const findings: string[] = [];
  for (const partner of parts.world.partners) {
    const shown = await shownBalances(parts.send, partner);
    const own = done.filter(({ company: by }) => by.kind === 'partner' && by.id === partner.id);
    const expected = expectedOf(partner, own, prices);
    expected.eMoneyWalletBalance += parseMoney(returned.get(partner.id) ?? '0');
    for (const amount of generatedVouchers(parts.lines, partner.id).values())
      expected.eMoneyWalletBalance -= parseMoney(amount);
    for (const [wallet, amount] of Object.entries(expected))
      if (String(shown[wallet]) !== String(Number(formatMoney(amount))))
        findings.push(
          `${wallet} of partner ${partner.id} is ${shown[wallet]}, but its client expects ` +
            formatMoney(amount),
        );
  }
  return findings;
}

function shownBalances(send: SendCall, { id }: ChaosPartner) {
  const company = partnerCompany(id);
  const path = '/info/get-current-balance';
  return readSurely(send, { operation: 'balance', company, path });
}

function expectedOf(
  partner: ChaosPartner,
  done: readonly KeyedCalls[],
  prices: ReadonlyMap<number, string>,
) {
  let eMoneyWalletBalance = parseMoney(partner.gift);
  let walletBalance = parseMoney(partner.airtime);
  const delivered = new Set<number>();
  for (const calls of done) {
    const entry = finalEntry(calls);
    const data = entry && bodyOf(entry.response)?.data;
    if (calls.operation === 'generate-voucher')
      eMoneyWalletBalance -= parseMoney(data.voucher.amount);
    // A top-up is told as done by each retry that shared the attempt; it is paid for once.
    if (typeof data?.transactionId === 'number') delivered.add(data.transactionId);
  }
  for (const id of delivered) walletBalance -= parseMoney(prices.get(id) ?? '0');
  return { eMoneyWalletBalance, walletBalance };
}

/** What each top-up costs; a retry of a package costs what it costs on that day. */
async function topupPrices({ database }: ThrowawayStack): Promise<Map<number, string>> {
  const rows = await database.selectFrom('topups').select(['id', 'amount']).execute();
  return new Map(rows.map(({ id, amount }) => [id, amount ?? '0']));
}

/** What expiry and cancellation have given back to each partner; the ledger's own check holds it against the vouchers. */
async function returnedValues({ database }: ThrowawayStack): Promise<Map<number, string>> {
  const rows = await database
    .selectFrom('vouchers')
    .select((of) => ['partner_id', of.fn.sum<string>('returned').as('returned')])
    .groupBy('partner_id')
    .execute();
  return new Map(rows.map(({ partner_id, returned }) => [partner_id, returned]));
}
