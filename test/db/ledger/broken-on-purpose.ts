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

const reversal = (status: string, ending: string) => `
  insert into redemption_reversals
    (id, redemption_id, operation_id, request_digest, reference, status, settled_at, credited_to)
  overriding system value
  values (1, 1, 'reversed', 'digest', gen_random_uuid(), '${status}', ${ending})`;

const attempt = (status: string, reversedAt = 'null') => `
  insert into topup_attempts
    (topup_id, attempt, operation_id, reference, msisdn, provider, status, reversed_at)
  values (1, 1, 'sent', 'sent-1', 'hash.mask.k1.box', 'dt-one', '${status}', ${reversedAt})`;

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
    'I5 a voucher is what remains, is held, was redeemed and was returned: voucher 2',
    'update vouchers set remaining = remaining - 0.000001 where id = 2',
  ],
  [
    'I5, a hold that is not the redemption’s',
    'I5 a voucher is what remains, is held, was redeemed and was returned: hold of voucher 4',
    "update redemptions set service_fee = service_fee + 1 where status = 'HELD'",
  ],
  [
    'I5, a payment that is not in the ledger',
    'I5 what was redeemed is what the ledger paid out: redemption 1',
    withoutTriggers,
    "update ledger_transfers set step = 'lost' where step = 'post-service-fee'",
  ],
  [
    'I5, a fee that went to the merchant',
    'I5 what was redeemed is what the ledger paid out: redemption 1',
    withoutTriggers,
    `update ledger_transfers
        set amount = amount + case step when 'post-payment' then 0.5 else -0.5 end
        where step in ('post-payment', 'post-service-fee')`,
  ],
  [
    'I6, a settlement of nothing',
    'I6 what was settled is what was done late, once: operation nothing',
    `insert into ledger_transfers (operation_id, step, debit_account_id, credit_account_id, amount)
        select 'nothing', 'settle-late-success', fees.id, suspense.id, 1
        from ledger_accounts as fees, ledger_accounts as suspense
        where fees.kind = 'service-fees' and suspense.kind = 'suspense'`,
  ],
  [
    'I6, a settlement of another amount',
    'I6 what was settled is what was done late, once: operation late',
    between('late', 'late-success', 'suspense', 'airtime-clearing', 2),
    between('late', 'settle-late-success', 'service-fees', 'suspense', 1),
  ],
  [
    'I6, the reversal of a deposit that never was',
    'I6 what was reversed is what was deposited, once: operation nothing',
    between('nothing', 'reverse-deposit', 'gift', 'funding', 1),
  ],
  [
    'I6, the reversal of a part of a deposit',
    'I6 what was reversed is what was deposited, once: operation deposited',
    between('deposited', 'deposit', 'funding', 'gift', 2),
    between('deposited', 'reverse-deposit', 'gift', 'funding', 1),
  ],
  [
    'I6, the reversal of a deposit out of another wallet',
    'I6 what was reversed is what was deposited, once: operation deposited',
    between('deposited', 'deposit', 'funding', 'airtime', 1),
    between('deposited', 'reverse-deposit', 'gift', 'funding', 1),
  ],
  [
    'I6, what was taken back and never done',
    'I6 what was taken back is what was done before, once: operation nothing',
    between('nothing', 'reversal', 'airtime-clearing', 'suspense', 1),
  ],
  [
    'I6, what was taken back with another amount',
    'I6 what was taken back is what was done before, once: operation done',
    between('done', 'post', 'funding', 'airtime-clearing', 2),
    between('done', 'reversal', 'airtime-clearing', 'suspense', 1),
  ],
  [
    'I6, the settlement of what was not taken back',
    'I6 what was taken back is what was done before, once: settlement of operation done',
    between('done', 'post', 'funding', 'airtime-clearing', 1),
    between('done', 'settle-reversal', 'suspense', 'service-fees', 1),
  ],
  [
    'I6, the settlement of a part of what was taken back',
    'I6 what was taken back is what was done before, once: settlement of operation done',
    between('done', 'post', 'funding', 'airtime-clearing', 2),
    between('done', 'reversal', 'airtime-clearing', 'suspense', 2),
    between('done', 'settle-reversal', 'suspense', 'service-fees', 1),
  ],
  [
    'I6, a redemption that says so without a transfer',
    'I6 what was taken back is what was done before, once: row of operation paid',
    withoutTriggers,
    `update redemptions set reversed_at = now(), operation_id = 'paid' where id = 1`,
  ],
  [
    'I6, a reversal that moved nothing',
    'I6 what a merchant reversed is what was paid, once: reversal 1',
    withoutTriggers,
    reversal('SUCCESS', "now(), 'voucher'"),
  ],
  [
    'I6, a reversal that was credited before its confirmation',
    'I6 what a merchant reversed is what was paid, once: operation reversed',
    withoutTriggers,
    reversal('PENDING', 'null, null'),
    between('reversed', 'reverse-payment', 'mobile-money-clearing', 'suspense', 1),
  ],
  [
    'I6, a top-up that says so without a transfer',
    'I6 what was taken back is what was done before, once: row of operation sent',
    withoutTriggers,
    topup('SUCCESS'),
    attempt('POSTED', 'now()'),
  ],
  [
    'I6, what a first provider did and nobody booked since the end',
    'I6 what a first provider did is booked when its operation has ended: switch 1',
    withoutTriggers,
    topup('SUCCESS'),
    attempt('POSTED'),
    "update topup_attempts set settled_at = now() - interval '25 hours'",
    `insert into provider_failovers (id, operation_id, from_provider, to_provider, message, done_at)
      overriding system value values (1, 'sent', 'dt-one', 'reloadly', 'not sent', now())`,
  ],
  [
    'I4, an open attempt that holds nothing',
    'I4 airtime on hold is what open top-ups hold: airtime-hold of partner 1',
    withoutTriggers,
    topup('PROCESSING'),
    attempt('HELD'),
  ],
  [
    'I5, a top-up that was delivered and not charged',
    'I5 a top-up is charged once when it was delivered, and else not: top-up 1',
    withoutTriggers,
    topup('SUCCESS'),
    attempt('POSTED'),
  ],
  [
    'I5, a top-up that failed and was charged',
    'I5 a top-up is charged once when it was delivered, and else not: top-up 1',
    between('sent', 'post', 'funding', 'airtime-clearing', 50),
    withoutTriggers,
    topup('FAILED'),
    attempt('VOIDED'),
  ],
  [
    'I5, a top-up that says SUCCESS and was never delivered',
    'I5 a top-up is charged once when it was delivered, and else not: state of top-up 1',
    withoutTriggers,
    topup('SUCCESS'),
    attempt('VOIDED'),
  ],
  [
    'I5, a top-up that is under way without an attempt',
    'I5 a top-up is charged once when it was delivered, and else not: open attempt of top-up 1',
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
