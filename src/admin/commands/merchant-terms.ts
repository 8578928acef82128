import { lockRow } from '../../db/catalogue/company-changes.ts';
import {
  currentPayoutAccounts,
  replacePayoutAccounts,
} from '../../db/catalogue/payout-accounts.ts';
import { AdminError } from '../admin-error.ts';
import { changeCommand } from '../command.ts';
import { id, optional, percent, required, text } from '../fields.ts';
import { PARTY_VALUE_PROBLEM, partyKey, readParty } from '../payout-party.ts';
import { changeSubject, requireSubject } from '../record-names.ts';

export const setServiceFee = changeCommand({
  name: 'set service-fee',
  details:
    'The fee applies to new claims. Existing claims of the merchant keep their fee, and so do ' +
    'claims of partners for vouchers that are restricted to the merchant. Redemptions without ' +
    'such a claim use the current fee.',
  fields: {
    merchant: required(id, 'The id of the merchant'),
    percent: required(percent, 'In percent of the redeemed amount; 0 is allowed'),
  },
  examples: ['set service-fee --merchant 3 --percent 2.5'],
  change: (transaction, input) =>
    changeSubject(transaction, 'merchant', input.merchant, { service_fee_percent: input.percent }),
});

export const setPayoutAccount = changeCommand({
  name: 'set payout-account',
  details:
    'Redemptions already on hold are paid to the previous account, which is kept with the time ' +
    'of its replacement. Before the first payment the provider is asked for the account and its ' +
    'holder, where it can tell them: an account that is closed, or that somebody else than --holder ' +
    'has, is not paid. "check payout-account" asks now.',
  fields: {
    merchant: required(id, 'The id of the merchant'),
    key: required(
      partyKey,
      'The kind of account: msisdn, accountid, walletid or another GSMA identifier',
    ),
    value: required(text, 'The number of the account'),
    holder: optional(text, 'Who must hold it; without this the name is only recorded'),
  },
  examples: [
    'set payout-account --merchant 3 --key msisdn --value 0911234567',
    'set payout-account --merchant 3 --key accountid --value 1000123456 --holder "Abebe Kebede"',
  ],
  async change(transaction, input) {
    const { name } = await requireSubject(transaction, 'merchant', input.merchant);
    const party = readParty(input.key, input.value);
    if (!party) throw new AdminError(`--value ${PARTY_VALUE_PROBLEM}.`);
    await lockRow(transaction, 'merchants', input.merchant);
    const before = (await currentPayoutAccounts(transaction, [input.merchant])).get(input.merchant);
    const holder = input.holder ?? null;
    const isSame = before?.key === party.key && before.value === party.value;
    if (isSame && before.holder === holder)
      return {
        unchanged: `No change: merchant ${input.merchant} already has this payout account.`,
      };
    const accounts = await replacePayoutAccounts(transaction, [
      { merchantId: input.merchant, ...party, holder },
    ]);
    return {
      subject: { kind: 'merchant', id: input.merchant },
      details: {
        account: party.shown,
        holder,
        accountId: accounts.get(input.merchant),
        replacedAccountId: before?.id ?? null,
      },
      text: `Merchant ${input.merchant} (${name}) is paid to ${party.key} ${party.value} from now on.`,
    };
  },
});
