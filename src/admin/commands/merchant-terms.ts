import { lockRow } from '../../db/catalogue/company-changes.js';
import {
  currentPayoutAccounts,
  replacePayoutAccounts,
} from '../../db/catalogue/payout-accounts.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import { id, percent, required, text } from '../fields.js';
import { PARTY_VALUE_PROBLEM, partyKey, readParty } from '../payout-party.js';
import { changeSubject, requireSubject } from '../record-names.js';

export const setServiceFee = changeCommand({
  name: 'set service-fee',
  summary: 'Set the service fee of a merchant',
  details:
    'It holds for claims that are made from now on. A claim that the merchant has made keeps its ' +
    'fee, as does one that a partner has made of a voucher restricted to the merchant. Redemptions ' +
    'without such a claim take the fee of their moment.',
  fields: {
    merchant: required(id, 'The id of the merchant'),
    percent: required(percent, 'In percent of the amount redeemed; 0 is a fee too'),
  },
  examples: ['set service-fee --merchant 3 --percent 2.5'],
  change: (transaction, input) =>
    changeSubject(transaction, 'merchant', input.merchant, { service_fee_percent: input.percent }),
});

export const setPayoutAccount = changeCommand({
  name: 'set payout-account',
  summary: 'Set the account that a merchant is paid to',
  details:
    'Redemptions that are held already are paid to the account before it, which is kept with the ' +
    'time of its replacement.',
  fields: {
    merchant: required(id, 'The id of the merchant'),
    key: required(
      partyKey,
      'The kind of account: msisdn, accountid, walletid or another of GSMA’s',
    ),
    value: required(text, 'The number of the account'),
  },
  examples: [
    'set payout-account --merchant 3 --key msisdn --value 0911234567',
    'set payout-account --merchant 3 --key accountid --value 1000123456',
  ],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'merchant', input.merchant);
    const party = readParty(input.key, input.value);
    if (!party) throw new AdminError(`--value ${PARTY_VALUE_PROBLEM}.`);
    await lockRow(transaction, 'merchants', input.merchant);
    const before = (await currentPayoutAccounts(transaction, [input.merchant])).get(input.merchant);
    if (before?.key === party.key && before.value === party.value)
      return {
        unchanged: `Merchant ${input.merchant} is paid to this account already: nothing was changed.`,
      };
    const accounts = await replacePayoutAccounts(transaction, [
      { merchantId: input.merchant, ...party },
    ]);
    return {
      subject: { kind: 'merchant', id: input.merchant },
      details: {
        account: party.shown,
        accountId: accounts.get(input.merchant),
        replacedAccountId: before?.id ?? null,
      },
      text: `Merchant ${input.merchant} (${name}) is paid to ${party.key} ${party.value} from now on.`,
    };
  },
});
