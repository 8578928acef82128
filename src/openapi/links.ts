import type { LinksObject } from 'openapi3-ts/oas31';
import type { Surface } from '../domain/refusals.ts';
import type { Endpoint } from '../http/endpoint.ts';

interface Follow {
  /** The name of the link. */
  readonly name: string;
  readonly from: readonly string[];
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

/** Which call can follow an answer, and which values it takes from the first one. */
const FOLLOWS: Readonly<Record<Surface, readonly Follow[]>> = {
  partner: [
    {
      name: 'showTopup',
      from: ['airtime-topup', 'airtime-package-topup', 'retry-topup'].map(
        (name) => `POST /topup-transactions/${name}`,
      ),
      operationId: 'getTopupTransactionsTransactionId',
      parameters: { transactionId: '$response.body#/data/transactionId' },
      description: 'Shows the top-up and its attempts.',
    },
  ],
  merchant: [
    {
      name: 'showVoucher',
      from: ['initiate-claim', 'redeem-gift'].map((name) => `POST /topup-transactions/${name}`),
      operationId: 'getTopupTransactionsVoucherCode',
      parameters: { voucherCode: '$request.body#/voucherCode' },
      description: 'Shows the voucher, its remaining balance and its status.',
    },
  ],
};

/** The links of an endpoint's answer; undefined where none is known. */
export function linksOf(
  surface: Surface,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
): LinksObject | undefined {
  const found = FOLLOWS[surface].filter(({ from }) => from.includes(`${method} ${path}`));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.map(({ name, from, ...link }) => [name, link]));
}
