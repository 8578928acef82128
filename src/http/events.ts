import { z } from 'zod';
import { type LogPosition, readEvents } from '../db/events.ts';
import {
  type EventType,
  eventId,
  eventTypes,
  eventTypesOf,
  TEST_EVENT_TYPE,
} from '../domain/events.ts';
import { refuse, type Surface } from '../domain/refusals.ts';
import { endpoint } from './endpoint.ts';
import { reply } from './envelope.ts';
import {
  idAnswer,
  maskedMsisdnAnswer,
  moneyAnswer,
  operatorAnswer,
  payingWalletAnswer,
  textAnswer,
  timeAnswer,
  topupKindAnswer,
} from './fields/answer-fields.ts';
import { numberParameter, reading } from './fields/request-fields.ts';

/** A place in the log as an opaque text. */
const encodeCursor = ({ epoch, number }: LogPosition): string =>
  Buffer.from(`${epoch} ${number}`).toString('base64url');

/** The form of a cursor for callers: the base64url of the text that is read below. */
const CURSOR_PATTERN = '^[A-Za-z0-9_-]{19,38}$';

const PLAIN = /^([0-9a-f]{12}) (0|[1-9][0-9]{0,14})$/;

const NO_CURSOR = 'must be a cursor, as `next` of an answer';

/** A cursor of an earlier answer; validation yields the place. */
const cursorField = z
  .string(NO_CURSOR)
  .max(100)
  .transform(
    reading((text: string): LogPosition | undefined => {
      const [, epoch, digits] = PLAIN.exec(Buffer.from(text, 'base64url').toString()) ?? [];
      const place = epoch && digits ? { epoch, number: Number(digits) } : undefined;
      // Other texts decode to the same bytes.
      return place && encodeCursor(place) === text ? place : undefined;
    }, NO_CURSOR),
  )
  .meta({ pattern: CURSOR_PATTERN });

const voucher = {
  voucherId: idAnswer('voucher'),
  serialNumber: textAnswer('Serial number, which support asks for', '482193756041827305'),
};
/** The facts of an event of some types, with their name in the documents. */
const facts = <const Shape extends z.ZodRawShape>(name: string, shape: Shape) =>
  z.object(shape).meta({ title: `${name}Facts` });

const endedVoucher = facts('VoucherEnded', {
  ...voucher,
  amount: moneyAnswer('Value at the generation in ETB'),
  returned: moneyAnswer('What went back to the gift wallet in ETB', '295.000000'),
});
const reference = textAnswer(
  'Our reference of the redemption, for questions to support',
  'RDM-0123456789ABCDEF',
);
const redemption = {
  ...voucher,
  redemptionId: idAnswer('redemption'),
  reference,
  merchantId: idAnswer('merchant of the redemption'),
  amount: moneyAnswer('Part of the voucher in ETB, with the service fee', '205.000000'),
};
const paidRedemption = facts('VoucherRedeemed', {
  ...redemption,
  remaining: moneyAnswer('What is left of the voucher in ETB after it', '295.000000'),
});
const refusedRedemption = facts('RedemptionRefused', {
  ...redemption,
  remaining: moneyAnswer('What is left of the voucher in ETB after it'),
});
const reversedRedemption = facts('RedemptionReversed', {
  ...redemption,
  remaining: moneyAnswer(
    'What is left of the voucher in ETB after it, without what another redemption holds at the moment',
  ),
  creditedTo: z.enum(['voucher', 'gift']).meta({
    description: "Where the amount went: back to the voucher, or to the partner's gift wallet",
  }),
});
const providerReference = textAnswer(
  'Reference of the provider; null where it gave none',
  '5b1f6c1e-7a43-4a53-9a0f-8f6d2c9e1b70',
).nullable();
const topup = {
  transactionId: idAnswer('top-up'),
  kind: topupKindAnswer,
  attempt: z.int().meta({ description: 'Number of the attempt; 0 before any', examples: [1] }),
  msisdn: maskedMsisdnAnswer,
  providerReference,
};
const endedTopup = (status: 'SUCCESS' | 'FAILED') =>
  facts(status === 'SUCCESS' ? 'TopupSucceeded' : 'TopupFailed', {
    ...topup,
    status: z.literal(status).meta({ description: 'State of the top-up' }),
    amount: moneyAnswer(
      'Price in ETB; null where a package failed before its price was known',
      '50.000000',
    ).nullable(),
    productId: idAnswer('product; null where none was chosen').nullable(),
    operator: operatorAnswer
      .nullable()
      .meta({ description: 'Operator of the number; null where it was not determined' }),
    message: textAnswer("The provider's message; null where it gave none", 'Delivered').nullable(),
  });
const changedTopup = facts('TopupChanged', {
  ...topup,
  amount: moneyAnswer('Price of the attempt in ETB', '50.000000'),
});

/** The facts of each type: `data` of its events. The triggers of `migrations/0001-baseline/18-events.sql` write them. */
const eventData = {
  'voucher.generated': facts('VoucherGenerated', {
    ...voucher,
    amount: moneyAnswer('Value in ETB'),
    denominationId: idAnswer('denomination'),
    merchantId: idAnswer('merchant of the voucher'),
    isRestricted: z
      .boolean()
      .meta({ description: 'Whether only that merchant redeems it', examples: [true] }),
    owner: maskedMsisdnAnswer.nullable().meta({
      description: "The owner's phone number, partly masked; null for an anonymous voucher",
    }),
    sellingPriceUsd: moneyAnswer('Your selling price in USD', '4.750000'),
    expiresAt: timeAnswer('When the voucher expires'),
  }),
  'claim.started': facts('ClaimStarted', {
    ...voucher,
    merchantId: idAnswer('merchant that claims, or else that the voucher was generated for'),
    claimedBy: z
      .enum(['partner', 'merchant'])
      .meta({ description: 'Who started it: the partner, or the merchant' }),
    amount: moneyAnswer('Claimed part in ETB; null for the whole balance', '200.000000').nullable(),
    remaining: moneyAnswer('What is left of the voucher in ETB'),
    expiresAt: timeAnswer('When the claim and its verification code end'),
  }),
  'voucher.redeemed': paidRedemption,
  'redemption.refused': refusedRedemption,
  'redemption.reversed': reversedRedemption,
  'voucher.expired': endedVoucher,
  'voucher.cancelled': endedVoucher,
  'topup.succeeded': endedTopup('SUCCESS'),
  'topup.failed': endedTopup('FAILED'),
  'topup.late': changedTopup,
  'topup.reversed': changedTopup,
  'balance.low': facts('BalanceLow', {
    wallet: payingWalletAnswer,
    balance: moneyAnswer('Balance in ETB', '950.000000'),
    threshold: moneyAnswer('The threshold in ETB', '1000.000000'),
  }),
  'payout.completed': facts('PayoutCompleted', {
    redemptionId: idAnswer('redemption'),
    voucherId: idAnswer('voucher'),
    reference,
    amount: moneyAnswer('What the merchant got in ETB', '200.000000'),
    serviceFee: moneyAnswer('The service fee in ETB', '5.000000'),
    providerReference,
    isLate: z.boolean().meta({
      description: 'Whether the provider paid after it had refused to pay; support settles it',
      examples: [false],
    }),
  }),
} satisfies Record<EventType, z.ZodObject>;

const SUBJECTS: Readonly<Record<string, string>> = {
  voucher: 'voucher:17',
  claim: 'voucher:17',
  redemption: 'voucher:17',
  topup: 'top-up:17',
  balance: 'wallet:gift:3',
  payout: 'redemption:17',
};

/** The subject of an event of a type, as an example. */
export const subjectExample = (type: EventType): string => SUBJECTS[type.replace(/\..*/, '')] ?? '';

/** "VoucherGenerated", the name of an event's type in the clients. */
export const eventTitle = (type: string): string =>
  type.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase());

/** An event of one type, as `GET /events` answers it and as webhooks carry it. */
export const eventSchema = (type: EventType) =>
  z
    .object({
      id: textAnswer('Id of the event; the same wherever it is told', 'evt_4711'),
      type: z.literal(type).meta({ description: eventTypes[type].meaning }),
      createdAt: timeAnswer('When it happened'),
      subject: textAnswer(
        'What it happened to; events of one subject come in their order',
        subjectExample(type),
      ),
      data: eventData[type].meta({ description: 'The facts as they were' }),
    })
    .meta({ title: `${eventTitle(type)}Event` });

/** The event that a company sends itself as a test. */
export const testEventSchema = z
  .object({
    id: textAnswer('Id of the message; it is in no list', 'test_17'),
    type: z.literal(TEST_EVENT_TYPE).meta({ description: 'A test of the webhook' }),
    createdAt: timeAnswer('When the test was asked for'),
    subject: textAnswer('The webhook', 'webhook:17'),
    data: z
      .object({ message: textAnswer('That it is a test', 'This is a test.') })
      .meta({ title: 'WebhookTestFacts', description: 'Nothing has happened' }),
  })
  .meta({ title: `${eventTitle(TEST_EVENT_TYPE)}Event` });

/** Any event of a surface. */
const eventOf = (surface: Surface) => z.union(eventTypesOf(surface).map(eventSchema));

const MAXIMUM_LIMIT = 100;
const DEFAULT_LIMIT = 50;

const limitField = numberParameter('Most events of the answer', [1, MAXIMUM_LIMIT]).default(
  DEFAULT_LIMIT,
);

const CURSOR = encodeCursor({ epoch: '0a1b2c3d4e5f', number: 4711 });

/** Lists the events of a company, oldest first (beyond the specification). */
export const listEvents = (surface: Surface) => {
  const type = z
    .enum(eventTypesOf(surface), 'must be a type of event')
    .meta({ title: 'EventType' });
  return endpoint({
    method: 'GET',
    path: '/events',
    operation: 'list-events',
    summary: 'List events',
    description:
      'The events of your company, oldest first, for 30 days. Keep `next` and send it as `after`: no ' +
      'event is left out, and none comes twice. New types may be added: ignore unknown types.',
    access: 'token',
    scope: 'read',
    query: z.object({
      after: cursorField.optional().meta({
        description: '`next` of an earlier answer; without it, the oldest event that is kept',
        examples: [CURSOR],
      }),
      limit: limitField,
      type: z
        .union([type, z.array(type).max(20)], 'must be a type of event')
        .optional()
        .meta({
          description: 'Only events of this type; repeatable',
          examples: [eventTypesOf(surface)[0]],
        }),
    }),
    answer: z.object({
      events: z.array(eventOf(surface)).meta({ description: 'The events, oldest first' }),
      next: textAnswer('The cursor of the next call, also where there is no event', CURSOR).meta({
        pattern: CURSOR_PATTERN,
      }),
      hasMore: z
        .boolean()
        .meta({ description: 'Whether there are more: call again at once', examples: [false] }),
    }),
    reasons: ['cursor-outdated'],
    async handle({ services, company, query: { after, limit, type: types } }) {
      const query = { after, limit, types: types && [types].flat() };
      const page = await services.lists.read(company, (database) =>
        readEvents(database, company, query),
      );
      if (!page) return refuse('unavailable', { retryAfterSeconds: 1 });
      if (page === 'outdated') return refuse('cursor-outdated');
      const events = page.events.map(({ number, ...event }) => ({
        id: eventId(number),
        ...event,
      }));
      return reply(
        { events, next: encodeCursor(page.next), hasMore: page.hasMore },
        { message: 'Events' },
      );
    },
  });
};
