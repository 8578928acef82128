import { addMerchant } from '../../db/companies.js';
import { violates } from '../../db/connection.js';
import { AdminError } from '../admin-error.js';
import { changeCommand } from '../command.js';
import {
  argument,
  email,
  id,
  optional,
  percent,
  required,
  telephone,
  text,
  textOrNothing,
  wholeNumber,
} from '../fields.js';
import { partyKey, readParty } from '../payout-party.js';
import { changeSubject, created, requireSubject } from '../subjects.js';

const merchantId = argument(id, 'The id of the merchant');
const identifierType = wholeNumber(0, 1_000_000);

export const createMerchant = changeCommand({
  name: 'create merchant',
  summary: 'Add a merchant',
  details:
    'Without a service fee no voucher can be claimed there (error 5001), and without a payout ' +
    'account it cannot be paid. Both can be set later.',
  fields: {
    name: required(text, 'The name that partners see'),
    type: required(text, 'What kind of merchant it is, such as RETAIL'),
    identifierType: required(identifierType, 'The kind of its identifier, a number'),
    identifier: required(text, 'Its identifier, which no other merchant has'),
    email: required(email, 'Its e-mail address'),
    phone: required(telephone, 'Its telephone number; partners see it partly masked'),
    address: required(text, 'Its postal address'),
    logo: optional(text, 'The path or address of its logo'),
    category: optional(id, 'The id of its merchant category'),
    serviceFee: optional(percent, 'The service fee in percent of what is redeemed'),
    payoutKey: optional(partyKey, 'The kind of account it is paid to, such as msisdn'),
    payoutValue: optional(text, 'The number of that account'),
  },
  examples: [
    'create merchant --name "Abyssinia Coffee" --type RETAIL --identifier-type 1 ' +
      '--identifier MER-0042 --email owner@coffee.example --phone +251111234567 ' +
      '--address "Bole Road, Addis Ababa" --service-fee 2.5 ' +
      '--payout-key msisdn --payout-value 0911234567',
  ],
  async change(transaction, input) {
    if (input.category !== undefined)
      await requireSubject(transaction, 'merchant-category', input.category);
    const payout = payoutOf(input);
    const merchant = {
      merchant_name: input.name,
      merchant_type: input.type,
      identifier_type: input.identifierType,
      identifier: input.identifier,
      email: input.email,
      phone: input.phone,
      address: input.address,
      ...(input.logo === undefined ? {} : { merchant_logo: input.logo }),
      ...(input.category === undefined ? {} : { merchant_category_id: input.category }),
      ...(input.serviceFee === undefined ? {} : { service_fee_percent: input.serviceFee }),
      ...(payout === undefined ? {} : { payout }),
    };
    const newId = await addMerchant(transaction, merchant).catch(refuseTakenIdentifier);
    return created('merchant', newId, {
      name: input.name,
      identifier: input.identifier,
      serviceFeePercent: input.serviceFee ?? null,
      payout: payout?.shown ?? null,
    });
  },
});

function payoutOf(input: {
  readonly payoutKey: string | undefined;
  readonly payoutValue: string | undefined;
}) {
  const { payoutKey, payoutValue } = input;
  if (payoutKey === undefined && payoutValue === undefined) return undefined;
  if (payoutKey !== undefined && payoutValue !== undefined)
    return readParty(payoutKey, payoutValue, '--payout-value');
  throw new AdminError('--payout-key and --payout-value belong together: give both or none.');
}

function refuseTakenIdentifier(error: unknown): never {
  if (violates(error, 'merchants_identifier_key'))
    throw new AdminError('Another merchant has this --identifier: see "list merchants".');
  throw error;
}

export const changeMerchant = changeCommand({
  name: 'change merchant',
  summary: 'Change what is known of a merchant',
  details: 'Its fee and the account it is paid to have commands of their own: see "set --help".',
  fields: {
    id: merchantId,
    name: optional(text, 'The name that partners see'),
    type: optional(text, 'What kind of merchant it is'),
    identifierType: optional(identifierType, 'The kind of its identifier, a number'),
    identifier: optional(text, 'Its identifier, which no other merchant has'),
    email: optional(email, 'Its e-mail address'),
    phone: optional(telephone, 'Its telephone number'),
    address: optional(text, 'Its postal address'),
    logo: optional(textOrNothing, 'The path or address of its logo; "" for none'),
    category: optional(id, 'The id of its merchant category'),
  },
  examples: ['change merchant 3 --phone +251111234567 --category 2'],
  async change(transaction, input) {
    if (input.category !== undefined)
      await requireSubject(transaction, 'merchant-category', input.category);
    return changeSubject(transaction, 'merchant', input.id, {
      merchant_name: input.name,
      merchant_type: input.type,
      identifier_type: input.identifierType,
      identifier: input.identifier,
      email: input.email,
      phone: input.phone,
      address: input.address,
      merchant_logo: input.logo,
      merchant_category_id: input.category,
    }).catch(refuseTakenIdentifier);
  },
});

export const deactivateMerchant = changeCommand({
  name: 'deactivate merchant',
  summary: 'Stop a merchant: no new vouchers for it, no claims, no redemptions',
  details: 'A payment that is under way is brought to its end.',
  fields: { id: merchantId },
  examples: ['deactivate merchant 3'],
  change: (transaction, input) =>
    changeSubject(transaction, 'merchant', input.id, { status: 'DEACTIVATED' }),
});

export const activateMerchant = changeCommand({
  name: 'activate merchant',
  summary: 'Let a deactivated merchant work again',
  fields: { id: merchantId },
  examples: ['activate merchant 3'],
  change: (transaction, input) =>
    changeSubject(transaction, 'merchant', input.id, { status: 'ACTIVE' }),
});
