import { z } from 'zod';
import type { Scope } from '../domain/access.ts';
import { formatMoney } from '../domain/money.ts';
import {
  messageOf,
  type Operation,
  type Refusal,
  refuse,
  statusCodeOf,
} from '../domain/refusals.ts';
import type { Caller } from '../domain/vouchers/voucher.ts';
import { endpoint } from '../http/endpoint.ts';
import { REASON_HEADER, reply } from '../http/envelope.ts';
import {
  moneyAnswer,
  operatorAnswer,
  payingWalletAnswer,
  textAnswer,
} from '../http/fields/answer-fields.ts';
import { underRecovery } from '../http/pipeline.ts';
import type { Services } from '../http/services.ts';
import { type Quote, quoteTopup, quoteVoucher } from '../operations/quotes.ts';
import { airtimeFields, packageFields } from './topups.ts';
import { lacksMerchant, merchantOf, voucherFields, withMerchant } from './voucher-view.ts';

const kindOf = <Kind extends string>(kind: Kind) =>
  z.literal(kind).meta({
    description: 'Kind of the call, whose fields follow: `GIFT`, `AIRTIME` or `PACKAGE`',
    examples: [kind],
  });

/** The body of a call of each kind, with its kind. */
export const quotedCall = z.discriminatedUnion(
  'kind',
  [
    withMerchant(z.object({ kind: kindOf('GIFT'), ...voucherFields })).meta({
      title: 'QuoteGift',
    }),
    z.object({ kind: kindOf('AIRTIME'), ...airtimeFields }).meta({ title: 'QuoteAirtime' }),
    z.object({ kind: kindOf('PACKAGE'), ...packageFields }).meta({ title: 'QuotePackage' }),
  ],
  'must be GIFT, AIRTIME or PACKAGE',
);

export type QuotedCall = z.output<typeof quotedCall>;
type Kind = QuotedCall['kind'];

/** The call that a quote speaks of, and the scope that it needs. */
const calls: Readonly<Record<Kind, { readonly operation: Operation; readonly scope: Scope }>> = {
  GIFT: { operation: 'generate-voucher', scope: 'vouchers' },
  AIRTIME: { operation: 'airtime-topup', scope: 'topups' },
  PACKAGE: { operation: 'airtime-package-topup', scope: 'topups' },
};

const answerSchema = z.object({
  kind: z.enum(['GIFT', 'AIRTIME', 'PACKAGE']).meta({ description: '`kind` of the request' }),
  accepted: z
    .boolean()
    .meta({ description: 'Whether the call would be accepted now', examples: [true] }),
  amount: moneyAnswer('What the recipient gets, in ETB; null where no price is known').nullable(),
  total: moneyAnswer(
    'What the wallet would pay: the amount, nothing is added or taken off; null where no price ' +
      'is known',
  ).nullable(),
  currency: z.literal('ETB').meta({ description: 'Currency of amount, total and balance' }),
  wallet: payingWalletAnswer.meta({ description: 'The wallet that would pay', examples: ['gift'] }),
  balance: moneyAnswer('Balance of this wallet', '12500.500000'),
  sellingPriceUsd: moneyAnswer(
    'Your selling price of a voucher in USD; null otherwise',
    '8.750000',
  ).nullable(),
  operator: operatorAnswer.nullable().meta({
    description: 'Operator of the phone number of a top-up; null otherwise',
  }),
  refusal: z
    .object({
      statusCode: z.int().meta({ description: '`statusCode` of the refusal', examples: [405] }),
      reason: textAnswer(`\`${REASON_HEADER}\` of the refusal`, 'money-insufficient'),
      message: textAnswer('Its message', 'Not enough money in the wallet'),
      retryAfterSeconds: z
        .int()
        .nullable()
        .meta({ description: '`Retry-After` of the refusal; null without it', examples: [3600] }),
    })
    .meta({ title: 'QuotedRefusal' })
    .nullable()
    .meta({ description: 'How the call would be refused now; null where it is accepted' }),
});

/** Says what an operation would cost now, and whether it would be accepted (beyond the specification). */
export const quoteEndpoint = endpoint({
  method: 'POST',
  path: '/quote',
  operation: 'quote',
  summary: 'Ask for a price',
  description:
    'Shows the present cost of a voucher, airtime or a package, and the wallet that would pay. The same ' +
    'checks decide whether the call would be accepted. Send `kind` and the body of that call. Nothing ' +
    'moves, nothing is reserved, and no limit counts a quote. Prices, balances and limits may change a ' +
    'moment later.',
  access: 'token',
  scope: 'read',
  body: quotedCall,
  answer: answerSchema,
  changesNothing: true,
  lacks: (body) =>
    body.kind === 'GIFT' && lacksMerchant(body) ? 'merchant-unspecified' : undefined,
  reasons: ['merchant-unspecified'],
  async handle({ services, company, scopes, body }) {
    const { operation, scope } = calls[body.kind];
    const quoted = await quoteOf(services, company, body);
    const refusal = refuseByGuards(services, scopes, scope) ?? quoted.refusal;
    return reply(presentQuote(body.kind, operation, { ...quoted, refusal }), { message: 'Quote' });
  },
});

/** The guards of the call refuse it before anything else is looked at. */
function refuseByGuards(
  { fence }: Pick<Services, 'fence'>,
  scopes: ReadonlySet<Scope>,
  scope: Scope,
): Refusal | undefined {
  if (!scopes.has(scope)) return refuse('scope-missing', { detail: scope });
  return fence.isFenced() ? underRecovery : undefined;
}

/** Quotes a call of a company. */
export const quoteOf = (services: Services, company: Caller, body: QuotedCall): Promise<Quote> =>
  body.kind === 'GIFT'
    ? quoteVoucher(services, {
        partner: company,
        denominationId: body.denominationId,
        merchant: merchantOf(body),
        msisdn: body.msisdn,
      })
    : quoteTopup(services, {
        company,
        kind: body.kind,
        productId: body.kind === 'PACKAGE' ? body.productId : null,
        amount: body.kind === 'AIRTIME' ? formatMoney(body.amount) : null,
        msisdn: body.msisdn,
      });

const presentQuote = (kind: Kind, operation: Operation, quoted: Quote) => ({
  kind,
  accepted: quoted.refusal === undefined,
  amount: quoted.amount,
  total: quoted.amount,
  currency: 'ETB',
  wallet: quoted.wallet,
  balance: quoted.balance,
  sellingPriceUsd: quoted.sellingPriceUsd,
  operator: quoted.operator,
  refusal: quoted.refusal
    ? {
        statusCode: statusCodeOf(quoted.refusal.reason, 'partner', operation),
        reason: quoted.refusal.reason,
        message: messageOf(quoted.refusal.reason, quoted.refusal.detail),
        retryAfterSeconds: quoted.refusal.retryAfterSeconds ?? null,
      }
    : null,
});
