import { randomBytes } from 'node:crypto';
import { statusOf, type TakenStatus } from '../accepted-requests.ts';
import type { Payout } from '../books.ts';

/** How each failing scenario fails, by the last two digits of the payee's number. */
const failures: Readonly<Record<string, readonly [code: number | string, words: string]>> = {
  '03': [2040, 'Credit Party customer type can not be supported by the service.'],
  '04': [1, 'The balance is insufficient for the transaction.'],
  '06': [8, 'Declined due to limit rule: would exceed the maximum balance.'],
};
const otherFailure = [17, 'System internal error.'] as const;

const statusWords: Readonly<Record<TakenStatus, string>> = {
  pending: 'Pending',
  completed: 'Completed',
  failed: 'Failed',
  reversed: 'Reversed',
};

const idOf = (moment: Date, rest: string): string =>
  `AG_${moment.toISOString().slice(0, 10).replaceAll('-', '')}_${rest}`;

/** An id of M-Pesa for one request. */
export const newConversationId = (): string => idOf(new Date(), randomBytes(10).toString('hex'));

/** The id that the acceptance of a payment named. */
export const conversationIdOf = ({ takenAt, serverCorrelationId }: Payout): string =>
  idOf(takenAt, serverCorrelationId.replaceAll('-', '').slice(0, 20));

/** The answer to an accepted request. */
export const acceptance = (originatorConversationId: string, conversationId: string) => ({
  ConversationID: conversationId,
  OriginatorConversationID: originatorConversationId,
  ResponseCode: '0',
  ResponseDescription: 'Accept the service request successfully.',
});

/** The result of a payment that has ended. */
export function paymentResult(payout: Payout, status: TakenStatus): object {
  const isFailed = status === 'failed';
  const [code, words] = failures[payout.to.slice(-2)] ?? otherFailure;
  return resultOf(payout, {
    code: isFailed ? code : 0,
    words: isFailed ? words : 'The service request is processed successfully.',
    originatorConversationId: payout.correlationId,
    conversationId: conversationIdOf(payout),
    receipt: payout.transactionReference,
    parameters: isFailed
      ? {}
      : {
          TransactionAmount: Number(payout.amount),
          TransactionReceipt: payout.transactionReference,
          ReceiverPartyPublicName: nameOf(payout),
          TransactionCompletedDateTime: new Date().toISOString(),
          B2CRecipientIsRegisteredCustomer: 'Y',
        },
  });
}

/** The answer to an inquiry; without a payment there is nothing to tell. */
export function inquiryResult(payout: Payout | undefined, conversationId: string): object {
  const ids = { originatorConversationId: newConversationId(), conversationId };
  if (!payout)
    return resultOf(undefined, {
      ...ids,
      code: 'SFC_IC0003',
      words: 'The transaction does not exist.',
      receipt: '',
      parameters: {},
    });
  return resultOf(payout, {
    ...ids,
    code: 0,
    words: 'The service request is processed successfully.',
    receipt: payout.transactionReference,
    parameters: {
      DebitPartyName: '600992 - Sandbox',
      CreditPartyName: nameOf(payout),
      OriginatorConversationID: payout.correlationId,
      ConversationID: conversationIdOf(payout),
      TransactionStatus: statusWords[statusOf(payout)],
      Amount: Number(payout.amount),
      ReceiptNo: payout.transactionReference,
      FinalisedTime: new Date().toISOString(),
      TransactionReason: undefined,
    },
  });
}

const nameOf = ({ to }: Payout): string => `${to.replace(/^\+/, '')} - SANDBOX PERSON`;

/** The other spelling writes numbers as text. */
function resultOf(
  payout: Payout | undefined,
  result: {
    readonly code: number | string;
    readonly words: string;
    readonly originatorConversationId: string;
    readonly conversationId: string;
    readonly receipt: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  },
): object {
  const spell = (value: unknown) =>
    payout?.isInPascalCase && typeof value === 'number' ? String(value) : value;
  const parameters = Object.entries(result.parameters);
  return {
    Result: {
      ResultType: spell(0),
      ResultCode: spell(result.code),
      ResultDesc: result.words,
      OriginatorConversationID: result.originatorConversationId,
      ConversationID: result.conversationId,
      TransactionID: result.receipt,
      ...(parameters.length > 0 && {
        ResultParameters: {
          ResultParameter: parameters.map(([Key, Value]) => ({ Key, Value: spell(Value) })),
        },
      }),
      ReferenceData: { ReferenceItem: { Key: 'QueueTimeoutURL' } },
    },
  };
}
