import type { Insertable } from 'kysely';
import type { ProviderRoutesTable } from '../../src/db/generated/tables.ts';
import { addRoute } from '../../src/db/providers.ts';
import type { ThrowawayStack } from '../throwaway-stack.ts';

/** Both providers of each kind: by weight where they share a position, and one after the other. */
const ROUTES: readonly Insertable<ProviderRoutesTable>[] = [
  { kind: 'sms', provider: 'africas-talking', position: 1, weight: 1 },
  { kind: 'sms', provider: 'smpp', position: 1, weight: 1 },
  // M-Pesa carries whole birr only, so that it is left out of most payments.
  { kind: 'payout', provider: 'mpesa', position: 1, weight: 2 },
  { kind: 'payout', provider: 'gsma', position: 1, weight: 1 },
  {
    kind: 'topup-airtime',
    provider: 'reloadly',
    position: 1,
    operator: 'SAFARICOM_ETHIOPIA',
  },
  { kind: 'topup-airtime', provider: 'dt-one', position: 2, operator: 'SAFARICOM_ETHIOPIA' },
  { kind: 'topup-airtime', provider: 'dt-one', position: 1, operator: 'ETHIO_TELECOM' },
  { kind: 'topup-airtime', provider: 'reloadly', position: 1, operator: 'ETHIO_TELECOM' },
  { kind: 'topup-package', provider: 'dt-one', position: 1 },
];

/** Routes that use every provider. */
export const makeRoutes = ({ database }: Pick<ThrowawayStack, 'database'>): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    for (const route of ROUTES) await addRoute(transaction, route);
  });
