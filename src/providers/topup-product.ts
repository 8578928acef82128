import { formatAmount, type Money } from '../domain/money.js';
import type { Operator } from '../domain/operator.js';
import type { TopupKind } from '../domain/topup.js';
import type { Airtime } from './airtime/airtime.js';

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
