import { violates } from '../db/connection.ts';
import { balanceConstraint } from '../db/ledger/ledger.ts';
import { AdminError } from './admin-error.ts';
import { money } from './tables.ts';

/** What a settlement charges, if a partner bears it. */
interface Charged {
  readonly partnerId: number | null | undefined;
  /** Decimal string. */
  readonly amount: string;
  readonly kind: 'payment' | 'top-up';
}

/** @throws {AdminError} when the partner's wallet does not cover what the settlement charges */
export const asCovered = <Earlier>(
  { partnerId, amount, kind }: Charged,
  settlement: Promise<Earlier>,
): Promise<Earlier> =>
  settlement.catch((error: unknown) => {
    if (!violates(error, balanceConstraint)) throw error;
    // What a voucher returns goes to the gift wallet alone.
    const orCancel = kind === 'payment' ? ', or cancel the voucher' : '';
    throw new AdminError(
      `The wallet of partner ${partnerId} does not cover ETB ${money(amount)}: nothing was changed. ` +
        `Deposit first${orCancel}.`,
    );
  });
