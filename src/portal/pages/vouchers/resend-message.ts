import { readResendable } from '../../../db/vouchers/resends.js';
import { findVoucherDetail } from '../../../db/vouchers/voucher-detail.js';
import { isMissed } from '../../../domain/vouchers/resend.js';
import { resendMessageOnce } from '../../../operations/later-voucher-operations.js';
import { html, phrase } from '../../../process/html.js';
import { confirmation } from '../../layout/parts.js';
import { onceField } from '../../operate.js';
import { type AccountPage, idOf, PORTAL_PATH } from '../../page.js';
import { problems } from '../../problem-page.js';
import { operateOnVoucher } from './operate-on-voucher.js';
import { ownerOf } from './vouchers.js';

/** Says which message the owner gets once more, and asks for confirmation. */
export const askResendMessage: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id/resend',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  async handle(request) {
    const { services, session, formToken } = request;
    const company = { partnerId: session.company.id };
    const voucher = await findVoucherDetail(services.database, idOf(request), company);
    if (!voucher) return problems.notFound;
    const back = `${PORTAL_PATH}/vouchers/${voucher.id}`;
    const message = await readResendable(services.database, voucher.id);
    if (!message || !isMissed(message))
      return { kind: 'redirect', to: back, notice: 'The owner misses no message.' };
    return confirmation({
      title: 'Send the message again?',
      text: html`<p>${ownerOf(voucher)} gets ${
        message.kind === 'VERIFICATION_CODE'
          ? phrase('the same verification code')
          : phrase('the confirmation of the last redemption')
      } by SMS once more. No money moves.</p>`,
      action: `${back}/resend`,
      formToken,
      fields: onceField(),
      button: 'Send it again',
      isHarmless: true,
      back,
    });
  },
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
      refused: 'The message was not sent',
    }),
};
