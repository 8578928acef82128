import {
  AMOUNT,
  hasExpiredSql,
  isActiveSql,
  isForeignSql,
  otherCompanySql,
  partsSql,
  redemptionsBeforeSql,
} from './history.ts';

/** The companies of a history; the others are in the same order. */
export interface HistoryCompanies {
  readonly partnerId: number;
  readonly denominationId: number;
  readonly merchantId: number;
  readonly otherPartnerIds: readonly number[];
  readonly otherMerchantIds: readonly number[];
}

/** A fee of 2.5 %, as merchants of tests have. */
const FEE = 0.025;
const FEE_PERCENT = FEE * 100;
const digest = (text: string) => `encode(sha256(convert_to(${text}, 'utf8')), 'hex')`;
const requestDigest = digest;
const idOf = (text: string) => `md5(${text})`;
const eighteenDigits = (text: string) =>
  `lpad((('x' || left(md5(${text}), 15))::bit(60)::bigint % 1000000000000000000)::text, 18, '0')`;
const listed = (ids: readonly number[]) => `(array[${ids.join(', ')}]::bigint[])`;

/**
 * What the statements below are about: `some_vouchers` and `some_redemptions`, of the vouchers
 * $1 to $2 of a history of $3 over so many days; $4 are the digests of their codes in hexadecimal digits, $5 the sealed
 * numbers of their owners.
 */
export const someRows = (companies: HistoryCompanies, days: number): readonly string[] => [
  'drop table if exists some_vouchers, some_redemptions',
  `create temp table some_vouchers as
    select number, decode(code_digest, 'hex') as code_digest,
      date_trunc('milliseconds', now() - interval '1 hour'
        - interval '${days} days' * (1 - number / $3::float8)) as at,
      case when ${isForeignSql}
        then ${listed(companies.otherPartnerIds)}[1 + ${otherCompanySql}]
        else ${companies.partnerId} end as partner_id,
      case when ${isForeignSql}
        then ${listed(companies.otherMerchantIds)}[1 + ${otherCompanySql}]
        else ${companies.merchantId} end as merchant_id,
      owner, ${eighteenDigits(`'serial ' || number`)} as serial,
      ${partsSql} as parts, ${hasExpiredSql} as has_expired, ${isActiveSql} as is_active
    from generate_series($1::bigint, $2::bigint) with ordinality as numbers (number, place)
    join unnest($4::text[], $5::text[]) with ordinality as codes (code_digest, owner, place)
      using (place)`,
  `create temp table some_redemptions as
    select voucher.*, ${redemptionsBeforeSql} + part as redemption, part,
      case when parts = 1 then ${AMOUNT} when part = 1 then 60 else 40 end as taken,
      at + part * interval '10 minutes' as claimed_at,
      at + part * interval '10 minutes' + interval '20 seconds' as held_at,
      at + part * interval '10 minutes' + interval '21 seconds' as paid_at
    from some_vouchers as voucher cross join lateral generate_series(1, parts) as part`,
];

const operation = (kind: 'partner' | 'merchant', columns: string) => `
  insert into operations (company_kind, status, request_id, id, created_at, settled_at, company_id,
    kind, request_digest, outcome)
  select '${kind}', 'SUCCEEDED', gen_random_uuid(), ${columns}`;

const event = (kind: 'partner' | 'merchant', columns: string) => `
  insert into events (company_kind, number, company_id, created_at, type, subject, data)
  select '${kind}', nextval('event_numbers'), ${columns}`;

/** What a table has of these vouchers, as the service would have written it. */
export const historyRows = (companies: HistoryCompanies): Readonly<Record<string, string[]>> => ({
  vouchers: [
    `insert into vouchers (id, created_at, operation_id, request_digest, partner_id, merchant_id,
      denomination_id, serial_number, code_digest, code_ciphertext, owner_msisdn, is_restricted,
      amount, remaining, returned, status, expires_at, selling_price_usd)
    overriding system value
    select number, at, ${idOf(`'generate ' || number`)}, ${requestDigest(`'generate ' || number`)},
      partner_id, merchant_id, ${companies.denominationId}, serial, code_digest,
      'data-1.' || repeat('x', 58), owner, true, ${AMOUNT},
      case when is_active then ${AMOUNT} else 0 end,
      case when has_expired then ${AMOUNT} else 0 end,
      case when is_active then 'ACTIVE' when has_expired then 'EXPIRED' else 'REDEEMED' end,
      case when has_expired then at + interval '1 hour' else at + interval '4 years' end, 1
    from some_vouchers order by number`,
  ],
  operations: [
    operation(
      'partner',
      `${idOf(`'generate ' || number`)}, at, null, partner_id, 'generate-voucher',
        ${requestDigest(`'generate ' || number`)}, jsonb_build_object('ok', true, 'voucherId', number)
      from some_vouchers order by number`,
    ),
    operation(
      'merchant',
      `${idOf(`'claim ' || redemption`)}, claimed_at, claimed_at, merchant_id, 'initiate-claim',
        ${requestDigest(`'claim ' || redemption`)}, jsonb_build_object('ok', true)
      from some_redemptions order by redemption`,
    ),
    operation(
      'merchant',
      `${idOf(`'redeem ' || redemption`)}, held_at, paid_at, merchant_id, 'redeem-gift',
        ${requestDigest(`'redeem ' || redemption`)}, jsonb_build_object('ok', true,
          'platformReference', 'RDM-' || upper(left(${idOf(`'redeem ' || redemption`)}, 16)),
          'providerReference', 'MM' || redemption)
      from some_redemptions order by redemption`,
    ),
  ],
  signed_requests: ['claim', 'redeem'].map(
    (name) => `
    insert into signed_requests (merchant_id, subject, bound_to, created_at)
    select merchant_id, 'body:' || ${digest(`'${name} body ' || redemption`)},
      '/topup-transactions/${name}', claimed_at
    from some_redemptions order by redemption`,
  ),
  voucher_claims: [
    `insert into voucher_claims (id, operation_id, created_at, voucher_id, company_kind, company_id,
      amount, service_fee_percent, status, expires_at, code_digest, code_digits, workflow_id)
    select md5('claim id ' || redemption)::uuid::text, ${idOf(`'claim ' || redemption`)}, claimed_at,
      number, 'merchant', merchant_id, taken, ${FEE_PERCENT}, 'REDEEMED',
      claimed_at + interval '5 minutes', ${digest(`'claim code ' || redemption`)}, 6,
      'claim:' || serial || ':' || ${idOf(`'claim ' || redemption`)}
    from some_redemptions order by redemption`,
  ],
  redemptions: [
    `insert into redemptions (id, created_at, settled_at, operation_id, request_digest, voucher_id,
      claim_id, company_kind, company_id, merchant_id, to_merchant, service_fee, status, is_done,
      charged, payment_reference, platform_reference, payee)
    overriding system value
    select redemption, held_at, paid_at, ${idOf(`'redeem ' || redemption`)},
      ${requestDigest(`'redeem ' || redemption`)}, number,
      md5('claim id ' || redemption)::uuid::text, 'merchant', merchant_id, merchant_id,
      taken * ${1 - FEE}, taken * ${FEE}, 'POSTED', true, true, gen_random_uuid(),
      'RDM-' || upper(left(${idOf(`'redeem ' || redemption`)}, 16)),
      '[{"key": "msisdn", "value": "+251910008000"}]'::jsonb
    from some_redemptions order by redemption`,
    `insert into placements (kind, reference, provider, operation_id, voucher_id, ordered, placed_at,
      said, done, provider_reference, said_at)
    select 'payment', payment_reference, 'gsma', operation_id, voucher_id, to_merchant, created_at,
      'done', to_merchant, 'MM' || redemption, settled_at
    from some_redemptions join redemptions on redemptions.id = redemption order by redemption`,
  ],
  messages: [
    `insert into messages (created_at, settled_at, kind, msisdn, voucher_id, claim_id, redemption_id,
      status, provider_reference, language)
    select held_at, paid_at, kind, owner, number,
      case when is_code then md5('claim id ' || redemption)::uuid::text end,
      case when is_code then null else redemption end, 'SENT',
      'ATXid_' || md5(kind || redemption), 'en'
    from some_redemptions, (values (true, 'VERIFICATION_CODE'), (false, 'REDEMPTION_CONFIRMATION'))
      as kinds (is_code, kind)
    order by redemption, is_code desc`,
  ],
  voucher_status_changes: [
    `insert into voucher_status_changes (changed_at, voucher_id, from_status, to_status)
    select changed_at, number, from_status, to_status from (
      select redemption, step, number, claimed_at + step * interval '10 seconds' as changed_at,
        from_status, case when step = 3 and part < parts then 'ACTIVE' else to_status end as to_status
      from some_redemptions, (values (1, 'ACTIVE', 'REDEEM_INITIATED'),
        (2, 'REDEEM_INITIATED', 'REDEEM_PROCESSING'), (3, 'REDEEM_PROCESSING', 'REDEEMED'))
        as steps (step, from_status, to_status)
      union all
      select null, 1, number, at + interval '1 hour', 'ACTIVE', 'EXPIRED'
      from some_vouchers where has_expired) as changes
    order by number, redemption, step`,
  ],
  ledger_transfers: [
    `insert into ledger_transfers (created_at, operation_id, step, debit_account_id,
      credit_account_id, amount)
    select moved_at, operation_id, step, debit.id, credit.id, amount
    from (
      select number, 0::bigint as redemption, 0 as leg, at as moved_at, partner_id,
        ${idOf(`'generate ' || number`)} as operation_id, 'reserve' as step, 'gift' as debited,
        'reserved' as credited, ${AMOUNT}::numeric as amount from some_vouchers
      union all
      select number, redemption, leg, case leg when 1 then held_at else paid_at end, partner_id,
        ${idOf(`'redeem ' || redemption`)}, step, debited, credited, taken * share
      from some_redemptions, (values (1, 'hold', 'reserved', 'gift-hold', 1),
        (2, 'post-payment', 'gift-hold', 'mobile-money-clearing', ${1 - FEE}),
        (3, 'post-service-fee', 'gift-hold', 'service-fees', ${FEE}))
        as legs (leg, step, debited, credited, share)
      union all
      select number, 0, 4, at + interval '1 hour', partner_id, 'expire-voucher:' || number, 'return',
        'reserved', 'gift', ${AMOUNT} from some_vouchers where has_expired) as moved
    join ledger_accounts as debit
      on debit.kind = debited and debit.partner_id = moved.partner_id
    join ledger_accounts as credit on credit.kind = credited
      and credit.partner_id is not distinct from
        case when credited in ('mobile-money-clearing', 'service-fees') then null
          else moved.partner_id end
    order by number, redemption, leg`,
  ],
  events: [
    event(
      'partner',
      `partner_id, at, 'voucher.generated', 'voucher:' || number, jsonb_build_object('voucherId',
        number, 'amount', '${AMOUNT}.000000', 'serialNumber', serial, 'merchantId', merchant_id)
      from some_vouchers order by number`,
    ),
    event(
      'merchant',
      `merchant_id, paid_at, 'payout.completed', 'redemption:' || redemption, jsonb_build_object(
        'redemptionId', redemption, 'voucherId', number, 'amount', taken::text)
      from some_redemptions order by redemption`,
    ),
  ],
});
