import { addPartner, lockRow } from '../../db/catalogue/companies.ts';
import { replacePayoutAccounts } from '../../db/catalogue/payout-accounts.ts';
import { maskedAccount } from '../../domain/payout-account.ts';
import { messageLanguages } from '../../domain/vouchers/messages.ts';
import { changeCommand } from '../command.ts';
import { AdminError, oneOf, optional, percent, required, text } from '../fields.ts';
import {
  changeSubject,
  created,
  merchantArgument,
  merchantField,
  PARTY_VALUE_PROBLEM,
  partnerArgument,
  partyKey,
  readParty,
  requireSubject,
  warnOfNamesakes,
} from '../record-names.ts';

export const commands = {
  'partner create': changeCommand({
    action: 'create partner',
    details:
      'The output shows the next commands: for products, prices, money, an address, a key and a person.',
    fields: { name: required(text, 'The name of the company') },
    examples: ['--name "Acme Gifts"'],
    async change(transaction, { name }) {
      const partner = await addPartner(transaction, name);
      const change = { ...created('partner', partner, { name }), next: nextOf(partner) };
      return warnOfNamesakes(transaction, 'partner', change);
    },
  }),

  'partner change': changeCommand({
    action: 'change partner',
    fields: { ...partnerArgument, name: required(text, 'The new name of the company') },
    examples: ['1 --name "Acme Gifts International"'],
    async change(transaction, input) {
      const values = { company_name: input.name };
      const change = await changeSubject(transaction, 'partner', input.id, values);
      return warnOfNamesakes(transaction, 'partner', change);
    },
  }),

  'partner suspend': changeCommand({
    action: 'suspend partner',
    details:
      'The service refuses the calls of the partner within two seconds. Money, keys and vouchers do not change. The ' +
      'service completes payments and top-ups in progress.',
    fields: partnerArgument,
    change: (transaction, input) =>
      changeSubject(transaction, 'partner', input.id, { status: 'SUSPENDED' }),
  }),

  'partner reinstate': changeCommand({
    action: 'reinstate partner',
    fields: partnerArgument,
    change: (transaction, input) =>
      changeSubject(transaction, 'partner', input.id, { status: 'ACTIVE' }),
  }),

  'partner set-message-language': changeCommand({
    action: 'set message-language',
    details:
      'The language holds for messages that are written from now on. The partner can choose it in the portal.',
    fields: {
      ...partnerArgument,
      language: required(oneOf(...messageLanguages), 'en is English, am is Amharic'),
    },
    examples: ['1 --language am'],
    change: (transaction, { id: partner, language }) =>
      changeSubject(transaction, 'partner', partner, { message_language: language }),
  }),

  'merchant set-service-fee': changeCommand({
    action: 'set service-fee',
    details:
      'The fee applies to new claims. Existing claims of the merchant keep their fee, and so do ' +
      'claims of partners for vouchers that are restricted to the merchant. Redemptions without ' +
      'such a claim use the current fee.',
    fields: {
      ...merchantArgument,
      percent: required(percent, 'In percent of the redeemed amount; 0 is allowed'),
    },
    examples: ['3 --percent 2.5'],
    change: (transaction, input) =>
      changeSubject(transaction, 'merchant', input.id, {
        service_fee_percent: input.percent,
      }),
  }),

  'merchant payout-account set': changeCommand({
    action: 'set payout-account',
    details:
      'Redemptions already on hold are paid to the previous account, which is kept with the time ' +
      'of its replacement. Before the first payment the provider is asked for the account and its ' +
      'holder, where it can tell them: an account that is closed, or that somebody else than --holder ' +
      'has, is not paid. "merchant payout-account check" asks now.',
    fields: {
      ...merchantField,
      key: required(
        partyKey,
        'The kind of account: msisdn, accountid, walletid or another GSMA identifier',
      ),
      value: required(text, 'The number of the account'),
      holder: optional(
        text,
        'The person or company that must hold the account; without this option the name is only recorded',
      ),
    },
    examples: [
      '--merchant 3 --key msisdn --value 0911234567',
      '--merchant 3 --key accountid --value 1000123456 --holder "Abebe Kebede"',
    ],
    async change(transaction, input) {
      const { name, subject } = await requireSubject(transaction, 'merchant', input.merchant);
      const party = readParty(input.key, input.value);
      if (!party) throw new AdminError(`--value ${PARTY_VALUE_PROBLEM}.`);
      await lockRow(transaction, 'merchants', input.merchant);
      const holder = input.holder ?? null;
      const replaced = await replacePayoutAccounts(transaction, [
        { merchantId: input.merchant, ...party, holder },
      ]);
      const account = replaced.get(input.merchant);
      if (!account)
        return {
          unchanged: `No change: merchant ${input.merchant} already has this payout account.`,
        };
      return {
        subject,
        details: {
          account: maskedAccount(party),
          holder,
          accountId: account.id,
          replacedAccountId: account.before?.id ?? null,
        },
        text: `Merchant ${input.merchant} (${name}) is paid to ${party.key} ${party.value} from now on.`,
      };
    },
  }),
};

/** What a new partner needs before it sells. */
const nextOf = (partner: number) => ({
  'What it sells, of "product list"': `partner product grant --partner ${partner} --product PRODUCT`,
  'At which price, for each of "product denomination list"': `partner price set --partner ${partner} --denomination DENOMINATION --price-usd PRICE`,
  'Its money': `money deposit --partner ${partner} --wallet gift --amount AMOUNT --reference REFERENCE`,
  'From where it calls': `access address add ADDRESS --partner ${partner}`,
  'Its API key': `access api-key create --partner ${partner} --name NAME`,
  'Its first person at the portal, who invites others': `access account create --partner ${partner} --email ADDRESS`,
});
