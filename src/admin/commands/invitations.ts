import { listInvitations } from '../../db/people/invitations.ts';
import { maskMsisdn } from '../../domain/phone.ts';
import { invitationStates, inviteMerchant } from '../../operations/invitations.ts';
import { changeCommand, lookCommand } from '../command.ts';
import { AdminError, email, msisdn, optional } from '../fields.ts';
import { merchantArgument, notFound, requireSubject } from '../record-names.ts';
import { column, tableReport } from '../tables.ts';

function refusalOf(
  merchantId: number,
  refused: Extract<Awaited<ReturnType<typeof inviteMerchant>>, { ok: false }>,
): AdminError {
  switch (refused.why) {
    case 'unknown':
      return notFound('merchant', merchantId);
    case 'deactivated':
      return new AdminError(
        `Merchant ${merchantId} is deactivated: "merchant activate ${merchantId}" first.`,
      );
    case 'disabled':
      return new AdminError(
        `The account of ${refused.email} is disabled: "access account reset-password ${refused.accountId}" enables it.`,
      );
    case 'address-taken':
      return new AdminError(
        `${refused.email} signs in for ${refused.employer.kind} ${refused.employer.id}: use another --email.`,
      );
  }
}

export const commands = {
  'merchant invite': changeCommand({
    action: 'invite merchant',
    details:
      'The service sends a link to its e-mail address and, by SMS, to its telephone. The recipient ' +
      'chooses a password and gets a guide to the first signed request. The link works once and ' +
      'for 24 hours; a new invitation replaces it. For an existing account it sets a new password ' +
      'and ends all sessions. API keys and other data of the merchant do not change.',
    fields: {
      ...merchantArgument,
      email: optional(email, 'The e-mail address of the account; that of the merchant by default'),
      phone: optional(msisdn, 'The mobile number for the SMS; the merchant’s telephone by default'),
    },
    examples: ['3', '3 --email sara@till.example --phone 0911234567'],
    async change(transaction, input) {
      const { id: merchantId, email: address, phone } = input;
      const invited = await inviteMerchant(transaction, {
        merchantId,
        email: address,
        msisdn: phone,
      });
      if (!invited.ok) throw refusalOf(merchantId, invited);
      const { invitationId, email, sms, replacedId } = invited;
      return {
        subject: { kind: 'merchant', id: merchantId },
        details: { invitationId, email, sms, replacedInvitationId: replacedId ?? null },
        text: [
          `Invited merchant ${merchantId}: the link goes to ${email}`,
          sms === null
            ? ' only, because its telephone cannot receive SMS.'
            : ` and by SMS to ${sms}.`,
          replacedId === undefined ? '' : ' The previous link no longer works.',
        ].join(''),
      };
    },
  }),

  'merchant list-invitations': lookCommand({
    fields: merchantArgument,
    async look(database, input) {
      await requireSubject(database, 'merchant', input.id);
      const found = await listInvitations(database, input.id);
      const invitations = found.map(({ msisdn: number, ...rest }) => ({
        ...rest,
        phone: number && maskMsisdn(number),
      }));
      return tableReport(invitations, [
        'createdAt',
        column('state', (row) => invitationStates[row.status].toLowerCase()),
        'expiresAt',
        column('e-mail', (row) => `${row.email} (${inWords(row.mail, row.mailMessage)})`),
        column('SMS', (row) => row.phone && `${row.phone} (${inWords(row.sms, row.smsMessage)})`),
        column('reported', (row) =>
          inWords(row.smsDelivery?.replace('_', ' ') ?? null, row.smsDeliveryReason),
        ),
      ]);
    },
  }),
};

const inWords = (status: string | null, words: string | null): string =>
  [status?.toLowerCase(), words].filter(Boolean).join(': ');
