import { sql } from 'kysely';
import type { Operator, StoredNumber } from '../../domain/phone.ts';
import { topupKinds, topupStatuses } from '../../domain/topup.ts';
import { hasNumber } from '../phone-numbers.ts';
import { isTopupBlocked } from '../positions/cases.ts';
import { unbegunSince } from '../topups/requests.ts';
import {
  anySpelling,
  declareList,
  forOperators,
  isFoundBy,
  listFields,
  type RowOf,
} from './list.ts';

const { choice, integer, decimal, time, shown, lookUp } = listFields;

/*
 * The current state of a top-up, regardless of its first answer. None of these is `exists`, which PostgreSQL may
 * answer for many top-ups by reading all attempts of everybody once. Times are texts in ISO 8601.
 */

/** Whether the partner's wallet has paid for it. */
const charged = sql`coalesce((select true from topup_attempts as try where try.topup_id = topups.id
  and try.charged limit 1), false)`;

/** Delivered after it had failed. */
const lateDelivery = sql`(
  select json_build_object('at', try.changed_at, 'isSettled', not ${isTopupBlocked(sql`topups.id`)})
  from topup_attempts as try where try.topup_id = topups.id
    and try.status = 'VOIDED' and try.is_done order by try.attempt desc limit 1)`;

/** Reversed by the provider after the delivery. */
const reversal = sql`(
  select json_build_object('at', try.changed_at, 'isCredited', not try.charged)
  from topup_attempts as try where try.topup_id = topups.id and try.attempt = topups.attempt
    and try.status = 'POSTED' and not try.is_done)`;

/** A partner's top-ups. The API can neither filter nor search the phone number. */
export const topupList = declareList({
  name: 'topups',
  from: () => sql`topups`,
  where: (partnerId) => sql`partner_id = ${partnerId}::bigint`,
  id: sql`id`,
  addedAt: sql`created_at`,
  openSince: unbegunSince,
  sortBy: [['transactionId', 'DESC']],
  fields: {
    id: integer(sql`id`, 'transactionId'),
    createdAt: time(sql`created_at`),
    updatedAt: time(sql`updated_at`),
    kind: choice(topupKinds)(sql`kind`),
    status: choice(topupStatuses)(sql`status`),
    amount: decimal<string | null>(sql`amount`),
    productId: integer<number | null>(sql`product_id`),
    // Of a package.
    productName: shown<string | null>(
      sql`(select product_name from products where products.id = product_id)`,
    ),
    attempt: integer(sql`attempt`),
    msisdn: shown<StoredNumber>(sql`msisdn`),
    operator: shown<Operator | null>(sql`operator`),
    providerReference: shown<string | null>(sql`provider_reference`),
    message: shown<string | null>(sql`message`),
    charged: shown<boolean>(charged),
    lateDelivery: shown<{ readonly at: string; readonly isSettled: boolean } | null>(lateDelivery),
    reversal: shown<{ readonly at: string; readonly isCredited: boolean } | null>(reversal),
    exchangeRate: shown<string>(sql`exchange_rate`),
    currency: shown<string>(sql`currency`),
    originatingCountry: shown<string>(sql`originating_country`),
    foreignCurrencyAmount: shown<string | null>(sql`foreign_currency_amount`),
    // Ours or the provider's, of any attempt.
    reference: lookUp(
      (reference) => sql`exists (
        select from topup_attempts as try join placements as placement using (operation_id)
        where try.topup_id = topups.id and (placement.reference = ${reference}::text
          or placement.provider_reference = ${reference}::text))`,
    ),
  },
  finds: ({ numberHash, id, reference }, partnerId) =>
    isFoundBy(
      sql`topups.id`,
      id && sql`select ${id}::bigint`,
      numberHash &&
        sql`select id from topups
          where partner_id = ${partnerId}::bigint and ${hasNumber('msisdn', numberHash)}`,
      // Of an attempt to another number.
      numberHash &&
        sql`select topup_id from topup_attempts where ${hasNumber('msisdn', numberHash)}`,
      reference &&
        sql`select topup_id from topup_attempts where reference = ${anySpelling(reference)}`,
      reference &&
        sql`select topup_id from topup_attempts where operation_id = any(array(
          select operation_id from placements where provider_reference = ${anySpelling(reference)}))`,
    ),
});

/** A top-up with its current state. */
export type ListedTopup = RowOf<typeof topupList>;

/** All top-ups. */
export const allTopups = forOperators(topupList, {
  from: sql`topups`,
  where: sql`true`,
  sortBy: topupList.sortBy,
  fields: {
    partnerId: integer(sql`partner_id`),
    // The hash of its number, or of a later attempt's.
    number: lookUp(
      (hash) => sql`(${hasNumber('topups.msisdn', hash)} or exists (
        select from topup_attempts as try
        where try.topup_id = topups.id and ${hasNumber('try.msisdn', hash)}))`,
    ),
  },
});
