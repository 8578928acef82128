import { violates } from '../db/connection.js';
import { balanceConstraint } from '../db/ledger/ledger.js';
import { AdminError } from './admin-error.js';
import { money } from './tables.js';

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
