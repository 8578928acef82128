import { readResendable } from '../../../db/vouchers/resends.ts';
import { isMissed } from '../../../domain/vouchers/resend.ts';
import { resendMessageOnce } from '../../../operations/later-voucher-operations.ts';
import { html, phrase } from '../../../rendering/html.ts';
import type { AccountPage } from '../../page.ts';
import { askAboutVoucher, operateOnVoucher } from './operate-on-voucher.ts';
import { ownerOf } from './vouchers.ts';

/** Says which message the owner gets once more, and asks for confirmation. */
export const askResendMessage: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id/resend',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: (request) =>
    askAboutVoucher(request, 'resend', async (voucher) => {
      const message = await readResendable(request.services.database, voucher.id);
      if (!message || !isMissed(message)) return { notice: 'The owner misses no message.' };
      return {
        title: 'Send the message again?',
        text: html`<p>${ownerOf(voucher)} gets ${
          message.kind === 'VERIFICATION_CODE'
            ? phrase('the same verification code')
            : phrase('the confirmation of the last redemption')
        } by SMS once more. No money moves.</p>`,
        button: 'Send it again',
        isHarmless: true,
      };
    }),
};

/** Sends the message that an owner may have missed once more. */
export const resendMessage: AccountPage = {
  method: 'POST',
  path: '/vouchers/:id/resend',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  handle: (request) =>
    operateOnVoucher(request, {
      action: 'resend message',
      operate: resendMessageOnce,
      done: 'The message was sent again.',
      sending: 'The message is being sent again. If it does not arrive, send it once more.',
      refused: 'The message was not sent',
    }),
};
