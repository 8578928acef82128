/** A name, the line that is to be found, and the statements that break the books. */
type Breakage = readonly [name: string, fault: string, ...statements: string[]];

/** No trigger fires, as after somebody has repaired the database by hand. */
const withoutTriggers = 'set session_replication_role = replica';

const giftTransfer = (columns: string, values: string) => `
  insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, ${columns})
  select 'broken', 'broken', debit.id, credit.id, ${values}
  from ledger_accounts as debit, ledger_accounts as credit
  where debit.kind = 'gift' and credit.kind`;

/** A transfer from one account to another, each the first of its kind. */
const between = (
  operationId: string,
  step: string,
  debit: string,
  credit: string,
  amount: number,
) => `
  insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
  select '${operationId}', '${step}', debit.id, credit.id, ${amount}
  from (select id from ledger_accounts where kind = '${debit}' order by id limit 1) as debit,
    (select id from ledger_accounts where kind = '${credit}' order by id limit 1) as credit`;

const topup = (status: string) => `
  insert into topups (id, operation_id, workflow_id, request_digest, partner_id, kind, amount, msisdn,
    status, attempt, exchange_rate, currency, originating_country)
  overriding system value
  values (1, 'sent', 'top-up', 'of a request', 1, 'AIRTIME', 50, 'hash.mask.k1.box', '${status}', 1,
    '57', 'USD', 'US')`;

const attempt = (status: string, isCharged = status === 'POSTED') => `
  insert into topup_attempts
    (topup_id, attempt, operation_id, reference, msisdn, status, is_done, charged)
  values (1, 1, 'sent', 'sent-1', 'hash.mask.k1.box', '${status}', ${status === 'POSTED'}, ${isCharged})`;

/** A placement of the attempt, and what its provider did. */
const placement = (done: number, said = done > 0 ? 'done' : 'nothing') => `
  insert into placements (id, kind, reference, provider, operation_id, ordered, said, done, said_at)
  overriding system value
  values (100, 'top-up', 'sent-1', 'dt-one', 'sent', 50, '${said}', ${done}, now())`;

const held = between('sent', 'hold', 'airtime', 'airtime-hold', 50);
const posted = between('sent', 'post', 'airtime-hold', 'airtime-clearing', 50);

/** A top-up that was delivered and paid for. */
const delivered = [held, posted, topup('SUCCESS'), attempt('POSTED'), placement(50)];

const openCase = (why: string, amount: number) => `
  insert into cases (subject_kind, subject, why, amount, topup_id)
  values ('order', 'sent', '${why}', ${amount}, 1)`;

/** Every invariant, broken in each of its ways, in a database that the gift path of the test has filled. */
export const breakages: readonly Breakage[] = [
  [
    'I1, an amount of zero',
    'I1 a transfer moves one amount from one account to another: transfer 1',
    'alter table ledger_transfers drop constraint ledger_transfers_amount_check',
    'alter table ledger_transfers disable trigger ledger_transfers_append_only',
    'update ledger_transfers set amount = 0 where id = 1',
  ],
  [
    'I1, from an account to itself',
    'I1 a transfer moves one amount from one account to another: transfer 1',
    'alter table ledger_transfers drop constraint ledger_transfers_check',
    'alter table ledger_transfers disable trigger ledger_transfers_append_only',
    'update ledger_transfers set debit_account_id = credit_account_id where id = 1',
  ],
  [
    'I2, a balance that was edited',
    'I2 a cached balance is the sum of its transfers: gift of partner 1',
    'alter table ledger_accounts disable trigger ledger_accounts_by_transfer',
    "update ledger_accounts set balance = balance + 0.000001 where kind = 'gift'",
  ],
  [
    'I2, money from nowhere',
    'I2 all balances sum to zero: sum 0.000001',
    'alter table ledger_accounts disable trigger ledger_accounts_by_transfer',
    "update ledger_accounts set balance = balance + 0.000001 where kind = 'gift'",
  ],
  [
    'I2, a transfer that the balances do not know',
    'I2 a cached balance is the sum of its transfers: gift of partner 1',
    'alter table ledger_transfers disable trigger ledger_transfers_apply',
    `${giftTransfer('amount', '1')} = 'airtime'`,
  ],
  [
    'I3, a wallet below zero',
    'I3 nothing is below zero: gift of partner 1',
    'alter table ledger_accounts drop constraint ledger_accounts_balance_not_negative',
    `${giftTransfer('amount', '1000000')} = 'airtime'`,
  ],
  [
    'I3, a voucher below zero',
    'I3 nothing is below zero: voucher 2',
    'alter table vouchers drop constraint vouchers_value',
    'update vouchers set remaining = -1 where id = 2',
  ],
  [
    'I4, a reserve that no voucher accounts for',
    'I4 what is reserved is what the vouchers still hold: reserved of partner 1',
    `${giftTransfer('amount', '1')} = 'reserved'`,
  ],
  [
    'I4, a hold that no voucher accounts for',
    'I4 what is reserved is what the vouchers still hold: gift-hold of partner 1',
    `${giftTransfer('amount', '1')} = 'gift-hold'`,
  ],
  [
    'I5, a voucher that lost a part',
    'I5 a voucher is what remains, is held, pays for redemptions and was returned: voucher 2',
    'update vouchers set remaining = remaining - 0.000001 where id = 2',
  ],
  [
    'I5, a hold that is not the redemption’s',
    'I5 a voucher is what remains, is held, pays for redemptions and was returned: hold of voucher 4',
    "update redemptions set service_fee = service_fee + 1 where status = 'HELD'",
  ],
  [
    'A, a payment that is not in the ledger',
    'A clearing has what providers did: redemption 1',
    withoutTriggers,
    "delete from ledger_transfers where step = 'post-payment'",
  ],
  [
    'A, what a provider took back and nobody booked',
    'A clearing has what providers did: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    "update placements set said = 'undone', done = 0 where operation_id = 'sent'",
  ],
  [
    'A, what a restore lost and nobody booked',
    'A clearing has what providers did: lost order lost',
    withoutTriggers,
    `insert into placements (kind, reference, provider, ordered, said, done, said_at)
      values ('payment', 'lost', 'gsma', 50, 'done', 50, now())`,
  ],
  [
    'B, suspense of no order',
    'B suspense has what nobody bears: operation nothing of no order',
    between('nothing', 'adjust-1', 'service-fees', 'suspense', 1),
  ],
  [
    'B, suspense of what somebody bears',
    'B suspense has what nobody bears: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    `insert into settlements (operation_id, party, amount, actor, note)
      values ('sent', 'platform', 1, 'operator', 'agreed')`,
  ],
  [
    'C, a fee that went to the merchant',
    'C payer and fees pay exactly for what is charged: redemption 1',
    withoutTriggers,
    `update ledger_transfers
        set amount = amount + case step when 'post-payment' then 0.5 else -0.5 end
        where step in ('post-payment', 'post-service-fee')`,
  ],
  [
    'C, a top-up that was delivered and not charged',
    'C payer and fees pay exactly for what is charged: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    "update topup_attempts set charged = false where operation_id = 'sent'",
  ],
  [
    'D, a difference without a case',
    'D a case is open exactly where a person is needed: top-up 1, attempt 1',
    withoutTriggers,
    held,
    posted,
    topup('SUCCESS'),
    attempt('POSTED'),
    placement(60),
    between('sent', 'adjust-1', 'suspense', 'airtime-clearing', 10),
  ],
  [
    'D, a case without a difference',
    'D a case is open exactly where a person is needed: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    openCase('difference', 10),
  ],
  [
    'D, other content without a case',
    'D a case is open exactly where a person is needed: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    "update placements set said = 'other', message = 'another number' where operation_id = 'sent'",
  ],
  [
    'D, news that nobody has explained for days',
    'D a case is open exactly where a person is needed: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    "update placements set doubted_at = now() - interval '6 days' where operation_id = 'sent'",
  ],
  [
    'E, an answer that nobody has observed',
    'E a placement says what was observed last: placement 100',
    withoutTriggers,
    ...delivered,
    `insert into observations (placement_id, at, source, said, done)
      select id, now(), 'inquiry', said, done from placements where operation_id = 'sent'`,
    "update placements set said = 'undone', done = 0 where operation_id = 'sent'",
  ],
  [
    'I6, the correction of a deposit that never was',
    'I6 a deposit is corrected in its own wallet, and not below zero: operation nothing',
    between('nothing', 'correct-deposit-1', 'gift', 'funding', 1),
  ],
  [
    'I6, corrections by more than was deposited',
    'I6 a deposit is corrected in its own wallet, and not below zero: operation deposited',
    between('other', 'deposit', 'funding', 'gift', 2),
    between('deposited', 'deposit', 'funding', 'gift', 2),
    between('deposited', 'correct-deposit-1', 'gift', 'funding', 1),
    between('deposited', 'correct-deposit-2', 'funding', 'gift', 1),
    between('deposited', 'correct-deposit-3', 'gift', 'funding', 3),
  ],
  [
    'I6, the correction of a deposit in another wallet',
    'I6 a deposit is corrected in its own wallet, and not below zero: operation deposited',
    between('deposited', 'deposit', 'funding', 'airtime', 1),
    between('deposited', 'correct-deposit-1', 'funding', 'gift', 1),
  ],
  [
    'I4, an open attempt that holds nothing',
    'I4 airtime on hold is what open top-ups hold: airtime-hold of partner 1',
    withoutTriggers,
    topup('PROCESSING'),
    attempt('HELD'),
  ],
  [
    'I5, an attempt whose hold somebody renamed',
    'I5 an attempt holds the amount of its placement: top-up 1, attempt 1',
    withoutTriggers,
    ...delivered,
    "update ledger_transfers set step = 'edited' where step = 'hold' and operation_id = 'sent'",
  ],
  [
    'I5, a top-up that says SUCCESS and was never delivered',
    'I5 the state of a top-up is that of its attempts: state of top-up 1',
    withoutTriggers,
    topup('SUCCESS'),
    attempt('VOIDED'),
  ],
  [
    'I5, a top-up that is under way without an attempt',
    'I5 the state of a top-up is that of its attempts: open attempt of top-up 1',
    withoutTriggers,
    topup('UNKNOWN'),
  ],
  [
    'I10, a status without a move to it',
    'I10 a voucher moves only along the allowed graph: voucher 1 is EXPIRED without a move to it',
    withoutTriggers,
    "update vouchers set status = 'EXPIRED' where id = 1",
  ],
  [
    'I10, a move that is not allowed',
    'I10 a voucher moves only along the allowed graph: voucher 1: REDEEMED to EXPIRED',
    `insert into voucher_status_changes (voucher_id, from_status, to_status)
        values (1, 'REDEEMED', 'EXPIRED')`,
  ],
  [
    'I10, a move from where it was not',
    'I10 a voucher moves only along the allowed graph: voucher 2: REDEEM_INITIATED to ACTIVE',
    `insert into voucher_status_changes (voucher_id, from_status, to_status)
        values (2, 'REDEEM_INITIATED', 'ACTIVE')`,
  ],
  [
    'I10, a history that was deleted',
    'I10 a voucher moves only along the allowed graph: voucher 7 is EXPIRED without a move to it',
    withoutTriggers,
    'delete from voucher_status_changes',
  ],
];
