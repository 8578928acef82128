import { formatAmount, type Money } from '../domain/money.ts';
import type { Operator } from '../domain/operator.ts';
import type { TopupKind } from '../domain/topup.ts';
import type { Airtime } from './airtime/airtime.ts';

/** Whether a provider sells what a top-up is of. What is not known yet is checked elsewhere. */
export const canSendTopup =
  (kind: TopupKind, providerProductId: number | null, operator: Operator | undefined) =>
  (port: Pick<Airtime, 'canSend'>, amount: Money): boolean => {
    if (kind === 'PACKAGE')
      return providerProductId === null || port.canSend({ kind: 'package', providerProductId });
    return (
      operator === undefined ||
      port.canSend({ kind: 'airtime', operator, amount: formatAmount(amount) })
    );
  };
