import { z } from 'zod';
import {
  addMpesaResult,
  findReferencedPayment,
  type NewMpesaResult,
  type ReferencedPayment,
} from '../db/reconciliation.ts';
import { parseMoney, withoutGroups } from '../domain/money.ts';
import { mpesaStatusOf } from '../domain/mpesa.ts';
import { internationalDigits, numberOfParty, presentableMessage } from '../domain/providers.ts';
import { endpoint } from '../http/endpoint.ts';
import { reply } from '../http/envelope.ts';
import { nudgePayment, refuseCallback } from './nudges.ts';

const text = z.union([z.string().trim(), z.number().transform(String)]);
const short = text.pipe(z.string().max(100));
/** An empty text is absent: it says nothing. */
const toPresent = (value: string | null | undefined): string | null => value || null;
/** So is another type: what M-Pesa writes strangely must not lose the rest of the result. */
const optional = text.nullish().catch(null).transform(toPresent);
const parameter = z.object({ Key: z.string(), Value: optional });

/** M-Pesa sends some ten. */
const MAXIMUM_PARAMETERS = 100;

/** The body of a result (Daraja); codes are numbers or text. */
const resultSchema = z.object({
  Result: z.object({
    /** 0 is the end; 1 waits for further messages (Daraja). */
    ResultType: optional,
    ResultCode: short,
    ResultDesc: z.string().catch(''),
    OriginatorConversationID: optional,
    ConversationID: short.pipe(z.string().min(1)),
    TransactionID: optional,
    ResultParameters: z
      .object({
        ResultParameter: z.union([
          z.array(z.unknown()).max(MAXIMUM_PARAMETERS).pipe(z.array(parameter)),
          // A single parameter is not always in an array.
          parameter.transform((one) => [one]),
        ]),
      })
      .nullish()
      .catch(null),
  }),
});

/** The kind of order that the parameters of a result name. */
type Kind = NewMpesaResult['kind'];

/**
 * The result of a payment, or the answer to an inquiry, compared with the payment. It keeps no number
 * of a phone. Undefined where the body is none, or not the last one.
 */
export function readMpesaResult(
  kind: Kind,
  reference: string,
  body: unknown,
  payment: Pick<ReferencedPayment, 'amount' | 'payee'>,
): NewMpesaResult | undefined {
  const result = resultSchema.safeParse(body).data?.Result;
  if (!result || result.ResultType === '1') return undefined;
  const parameters = result.ResultParameters?.ResultParameter ?? [];
  const parameterOf = (...keys: string[]) =>
    parameters.find(({ Key, Value }) => keys.includes(Key) && Value !== null)?.Value ?? null;
  const original =
    kind === 'payment' ? result.OriginatorConversationID : parameterOf('OriginatorConversationID');
  const isDone = result.ResultCode === '0';
  return {
    kind,
    reference,
    conversationId: result.ConversationID,
    resultCode: result.ResultCode,
    description: presentableMessage(result.ResultDesc),
    transactionStatus: presentable(parameterOf('TransactionStatus')),
    receipt: isDone
      ? readReceipt(
          kind === 'payment'
            ? (parameterOf('TransactionReceipt') ?? result.TransactionID)
            : parameterOf('ReceiptNo'),
        )
      : null,
    ...(isDone
      ? differenceOf(
          {
            reference: original,
            amount: parameterOf('TransactionAmount', 'Amount'),
            payee: parameterOf('ReceiverPartyPublicName', 'CreditPartyName'),
          },
          { reference, ...payment },
        )
      : SAME),
  };
}

const SAME = { difference: null, otherAmount: null } as const;

const presentable = (words: string | null): string | null =>
  words === null ? null : presentableMessage(words);

/** Stored in our books, so only characters that are safe in a database and on a page. */
const readReceipt = (value: string | null): string | null =>
  value !== null && /^[\x21-\x7e]{1,100}$/.test(value) ? value : null;

/** A missing value contradicts nothing, nor does a masked number. */
function differenceOf(
  theirs: {
    readonly reference: string | null;
    readonly amount: string | null;
    readonly payee: string | null;
  },
  ours: { readonly reference: string } & Pick<ReferencedPayment, 'amount' | 'payee'>,
): Pick<NewMpesaResult, 'difference' | 'otherAmount'> {
  if (theirs.reference !== null && theirs.reference.toLowerCase() !== ours.reference)
    return { ...SAME, difference: 'reference' };
  const number = numberOfParty(theirs.payee);
  const expected = ours.payee.find(({ key }) => key.toLowerCase() === 'msisdn')?.value;
  const isOther =
    number !== undefined &&
    expected !== undefined &&
    number !== `+${internationalDigits(expected)}`;
  if (isOther) return { ...SAME, difference: 'payee' };
  if (theirs.amount === null) return SAME;
  const plain = withoutGroups(theirs.amount);
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(plain)) return { ...SAME, difference: 'amount' };
  return parseMoney(plain) === parseMoney(ours.amount) ? SAME : { ...SAME, otherAmount: plain };
}

const kinds = ['payment', 'inquiry', 'timeout'] as const;

/**
 * Receives results of M-Pesa (Daraja): of a payment, of an inquiry about it, or that it
 * waits in a queue. M-Pesa answers inquiries only so, and signs nothing: each request has an address
 * of its own, with the secret and our reference. A result is stored once and never changes money by
 * itself: the payment's workflow asks, and reads the answer. An unknown reference costs one query and
 * leaves nothing behind.
 */
export const mpesaCallback = endpoint({
  method: 'POST',
  path: '/mpesa/:secret/:kind/:reference',
  // M-Pesa may refuse addresses with its own name in them.
  aliases: ['/payouts/:secret/:kind/:reference'],
  operation: 'provider-callback',
  summary: 'Result of M-Pesa',
  description:
    'Tells the service the result of a payment or of an inquiry. The service asks M-Pesa about a payment before it believes its result.',
  access: 'public',
  params: z.object({ secret: z.string(), kind: z.string(), reference: z.string() }),
  body: z.looseObject({}),
  answer: z.null(),
  changesNothing: true,
  reasons: ['address-not-registered'],
  async handle(request) {
    const refusal = refuseCallback('mpesa', request);
    if (refusal) return refusal;
    const { services, params, body } = request;
    const { database } = services;
    const kind = kinds.find((one) => one === params.kind);
    const reference = z.uuid().toLowerCase().safeParse(params.reference).data;
    const payment =
      kind === undefined || reference === undefined
        ? undefined
        : await findReferencedPayment(database, reference);
    if (payment?.kind === 'payment' && kind !== undefined && reference !== undefined) {
      const result =
        kind === 'timeout' ? undefined : readMpesaResult(kind, reference, body, payment);
      const isUnused = result === undefined || (await addMpesaResult(database, result));
      if (isUnused && isNews(kind, result, payment)) await nudgePayment(services, payment, 'mpesa');
    }
    return reply(null, { message: 'Accepted' });
  },
});

/**
 * Whether somebody is to ask at once. An answer that decides nothing, or says what is booked, is no
 * news. Otherwise an inquiry would follow its own answer, again and again. Nor is one about a
 * payment that another provider has by now.
 */
function isNews(
  kind: (typeof kinds)[number],
  result: NewMpesaResult | undefined,
  { provider, isOpen, isDone }: Pick<ReferencedPayment, 'provider' | 'isOpen' | 'isDone'>,
): boolean {
  if (kind !== 'inquiry') return true;
  if ((provider ?? 'mpesa') !== 'mpesa' || result?.difference !== null) return false;
  const theirs = mpesaStatusOf(result.transactionStatus);
  return theirs !== undefined && (isOpen || theirs !== (isDone ? 'completed' : 'failed'));
}
