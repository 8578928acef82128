import { findVoucherDetail } from '../../../db/vouchers/voucher-detail.js';
import { isCancellable } from '../../../domain/vouchers/cancellation.js';
import { cancelVoucherOnce } from '../../../operations/later-voucher-operations.js';
import { html, phrase } from '../../../process/html.js';
import { sentence } from '../../language/language.js';
import { money } from '../../layout/money.js';
import { confirmation } from '../../layout/parts.js';
import { onceField } from '../../operate.js';
import { type AccountPage, idOf, PORTAL_PATH } from '../../page.js';
import { problems } from '../../problem-page.js';
import { operateOnVoucher } from './operate-on-voucher.js';

/** Says what a cancellation does with the money, and asks for confirmation. */
export const askCancelVoucher: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id/cancel',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  async handle(request) {
    const { services, session, formToken } = request;
    const company = { partnerId: session.company.id };
    const voucher = await findVoucherDetail(services.database, idOf(request), company);
    if (!voucher) return problems.notFound;
    const back = `${PORTAL_PATH}/vouchers/${voucher.id}`;
    if (!isCancellable(voucher.status))
      return { kind: 'redirect', to: back, notice: 'This voucher cannot be cancelled now.' };
    return confirmation({
      title: sentence('Cancel voucher {1}?', voucher.serialNumber),
      text: html`<p>${money(voucher.remaining)} goes back to your gift wallet at once. The owner can no
longer redeem the voucher${
        voucher.status === 'REDEEM_INITIATED' &&
        phrase(', and the claim that waits for the code ends')
      }. The owner is not told. This cannot be undone.</p>`,
      action: `${back}/cancel`,
      formToken,
      fields: onceField(),
      button: 'Cancel the voucher',
      back,
    });
  },
};

/** Cancels a voucher; what remains of it goes back to the gift wallet. */
export const cancelVoucher: AccountPage = {
  method: 'POST',
  path: '/vouchers/:id/cancel',
  access: 'account',
  needs: 'operate',
  confirmation: 'none',
  kind: 'partner',
  handle: (request) =>
    operateOnVoucher(request, {
      action: 'cancel voucher',
      operate: cancelVoucherOnce,
      done: 'The voucher is cancelled.',
      refused: 'The voucher is not cancelled',
    }),
};
