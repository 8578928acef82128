import { type ClientLog, finalEntry, partnerCompany } from '../clients/client-log.ts';
import { bodyOf } from '../clients/outcome.ts';
import { readSurely } from '../clients/read-surely.ts';
import type { SendCall } from '../clients/send-call.ts';

/** A line as its partner is told of it. */
export interface ToldLine {
  readonly partnerId: number;
  readonly reference: string;
  readonly status: 'PENDING' | 'GENERATED' | 'REFUSED' | 'CANCELLED';
  readonly voucher: { readonly id: string; readonly amount: string } | null;
}

/** The lines of all orders that were accepted, as the API lists them in the end. */
export async function readOrderedLines(
  log: ClientLog,
  send: SendCall,
): Promise<readonly ToldLine[]> {
  const told: ToldLine[] = [];
  for (const calls of log.keyed()) {
    const final = finalEntry(calls);
    if (calls.operation !== 'order-vouchers' || final?.outcome.kind !== 'done') continue;
    const { id } = bodyOf(final.response)?.data.bulkOrder ?? {};
    told.push(...(await linesOf(send, calls.company.id, id)));
  }
  return told;
}

async function linesOf(send: SendCall, partnerId: number, order: number): Promise<ToldLine[]> {
  const company = partnerCompany(partnerId);
  const path = `/bulk-orders/${order}/lines`;
  const { lines } = await readSurely(send, { operation: 'list-bulk-lines', company, path });
  return lines.map((line: Omit<ToldLine, 'partnerId'>) => ({ ...line, partnerId }));
}

/** What was paid for: a reference that several orders have generated one voucher. */
export const generatedVouchers = (
  lines: readonly ToldLine[],
  partnerId: number,
): ReadonlyMap<string, string> =>
  new Map(
    lines
      .filter((line) => line.partnerId === partnerId)
      .flatMap(({ voucher }) => (voucher ? [[voucher.id, voucher.amount] as const] : [])),
  );
