import { listInvitations } from '../../db/portal/invitations.js';
import { maskMsisdn } from '../../domain/phone.js';
import { changeCommand, lookCommand } from '../command.js';
import { argument, email, id, msisdn, optional, required } from '../fields.js';
import { inviteMerchant } from '../merchant-invitation.js';
import { requireSubject } from '../record-names.js';
import { column, table, time } from '../tables.js';

export const inviteMerchantCommand = changeCommand({
  name: 'invite merchant',
  summary: 'Send a merchant the message by which it activates its portal account',
  details:
    'A link goes to its e-mail address and, by SMS, to its telephone. Whoever opens it chooses a ' +
    'password and is led to the first signed request. The link works once and for 24 hours; another ' +
    'invitation replaces it. Somebody who has an account already gets a new password by it, and all ' +
    'sessions end. What the merchant has otherwise, such as API keys, stays as it is.',
  fields: {
    id: argument(id, 'The id of the merchant'),
    email: optional(
      email,
      'Who signs in and is written to; the e-mail address of the merchant if left out',
    ),
    phone: optional(
      msisdn,
      'The mobile number that gets the SMS; the merchant’s telephone if left out',
    ),
  },
  examples: ['invite merchant 3', 'invite merchant 3 --email sara@till.example --phone 0911234567'],
  async change(transaction, input) {
    const { details, text } = await inviteMerchant(transaction, {
      merchantId: input.id,
      email: input.email,
      msisdn: input.phone,
    });
    return { subject: { kind: 'merchant', id: input.id }, details, text };
  },
});

/** What a state means to operators. */
const states: Readonly<Record<string, string>> = {
  REQUESTED: 'waits for a worker',
  OPEN: 'not used yet',
  USED: 'used',
  REPLACED: 'replaced',
  EXPIRED: 'expired',
  UNDELIVERED: 'reached nobody',
};

export const listInvitationsCommand = lookCommand({
  name: 'list invitations',
  summary: 'Show the invitations of a merchant, and whether their messages were sent',
  fields: { merchant: required(id, 'The id of the merchant') },
  examples: ['list invitations --merchant 3'],
  async look(database, input) {
    await requireSubject(database, 'merchant', input.merchant);
    const found = await listInvitations(database, input.merchant);
    const invitations = found.map(({ msisdn: number, ...rest }) => ({
      ...rest,
      phone: number && maskMsisdn(number),
    }));
    return {
      json: invitations,
      text: table(invitations, [
        column('invited', (row) => time(row.createdAt)),
        column('state', (row) => states[row.status] ?? row.status),
        column('until', (row) => row.expiresAt && time(row.expiresAt)),
        column('e-mail', (row) => `${row.email} (${inWords(row.mail, row.mailMessage)})`),
        column('SMS', (row) => row.phone && `${row.phone} (${inWords(row.sms, row.smsMessage)})`),
      ]),
    };
  },
});

const inWords = (status: string | null, words: string | null): string =>
  [status?.toLowerCase(), words].filter(Boolean).join(': ');
