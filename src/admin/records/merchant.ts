import { email, oneOf, percent, reference, telephone, text, wholeNumber } from '../fields.ts';
import { inviteMerchant } from '../merchant-invitation.ts';
import { PARTY_VALUE_PROBLEM, partyKey, readParty } from '../payout-party.ts';
import type { RecordKind, RecordProblem, Values } from './record-kind.ts';

/** A merchant with its payout account (specification 2.5). */
export const merchant: RecordKind = {
  kind: 'merchant',
  plural: 'merchants',
  table: 'merchants',
  identity: ['identifier'],
  fields: {
    name: {
      column: 'merchant_name',
      parser: text,
      description: 'The name that partners see',
      isRequired: true,
    },
    type: {
      column: 'merchant_type',
      parser: text,
      description: 'Its type, such as RETAIL',
      isRequired: true,
    },
    identifierType: {
      column: 'identifier_type',
      parser: wholeNumber(0, 1_000_000),
      description: 'The type of its identifier, a number',
      isRequired: true,
    },
    identifier: {
      column: 'identifier',
      parser: text,
      description: 'Its unique identifier',
      isRequired: true,
    },
    email: {
      column: 'email',
      parser: email,
      description: 'Its e-mail address',
      isRequired: true,
    },
    phone: {
      column: 'phone',
      parser: telephone,
      description: 'Its telephone number; partners see it partly masked',
      isRequired: true,
    },
    address: {
      column: 'address',
      parser: text,
      description: 'Its postal address',
      isRequired: true,
    },
    logo: {
      column: 'merchant_logo',
      parser: text,
      description: 'The path or address of its logo',
      isClearable: true,
    },
    category: {
      column: 'merchant_category_id',
      parser: reference,
      description: 'Its merchant category, by id or name',
      refersTo: 'merchant-category',
      isClearable: true,
    },
    serviceFee: {
      column: 'service_fee_percent',
      parser: percent,
      description: 'The service fee in percent of the redeemed amount',
      hasOwnCommand: true,
    },
    payoutKey: {
      parser: partyKey,
      description: 'The kind of its payout account, such as msisdn',
      hasOwnCommand: true,
    },
    payoutValue: {
      parser: text,
      description: 'The number of its payout account',
      hasOwnCommand: true,
    },
    status: {
      column: 'status',
      parser: oneOf('ACTIVE', 'DEACTIVATED'),
      description: 'Whether it is active',
      whenLeftOut: 'ACTIVE',
      hasOwnCommand: true,
    },
  },
  check: (_row, given) => payoutProblems(given),
  uponCreation: {
    flag: 'invite',
    description: 'Also invite it to the portal (see "invite merchant --help")',
    work: (transaction, merchantId) => inviteMerchant(transaction, { merchantId }),
  },
  activation: {
    column: 'status',
    active: 'ACTIVE',
    inactive: 'DEACTIVATED',
    details: 'The service completes payments in progress.',
  },
  help: {
    createDetails:
      'Without a service fee no voucher can be claimed at the merchant (error 5001), and without ' +
      'a payout account it cannot be paid. Both can be set later.',
    changeDetails: 'Other commands change its fee and its payout account (see "set --help").',
    createExamples: [
      'create merchant --name "Abyssinia Coffee" --type RETAIL --identifier-type 1 ' +
        '--identifier MER-0042 --email owner@coffee.example --phone +251111234567 ' +
        '--address "Bole Road, Addis Ababa" --service-fee 2.5 ' +
        '--payout-key msisdn --payout-value 0911234567',
    ],
    changeExamples: ['change merchant 3 --phone +251111234567 --category Restaurants'],
    importSample: [
      'identifier,name,type,identifier-type,email,phone,address,service-fee,payout-key,payout-value',
      'MER-0042,Abyssinia Coffee,RETAIL,1,owner@coffee.example,+251111234567,"Bole, Addis Ababa",' +
        '2.5,msisdn,0911234567',
    ],
  },
};

/** A payout account needs both fields. */
function payoutProblems({ payoutKey, payoutValue }: Values): RecordProblem[] {
  if (payoutKey === undefined && payoutValue === undefined) return [];
  if (payoutKey === undefined)
    return [{ field: 'payoutKey', reason: 'is missing: it belongs to the payout value' }];
  if (payoutValue === undefined)
    return [{ field: 'payoutValue', reason: 'is missing: it belongs to the payout key' }];
  return readParty(String(payoutKey), String(payoutValue)) === undefined
    ? [{ field: 'payoutValue', reason: PARTY_VALUE_PROBLEM }]
    : [];
}
