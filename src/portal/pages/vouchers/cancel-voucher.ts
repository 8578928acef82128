import { isCancellable } from '../../../domain/vouchers/cancellation.ts';
import { cancelVoucherOnce } from '../../../operations/later-voucher-operations.ts';
import { html, phrase } from '../../../rendering/html.ts';
import { sentence } from '../../language/language.ts';
import { money } from '../../layout/money.ts';
import type { AccountPage } from '../../page.ts';
import { askAboutVoucher, operateOnVoucher } from './operate-on-voucher.ts';

/** Says what a cancellation does with the money, and asks for confirmation. */
export const askCancelVoucher: AccountPage = {
  method: 'GET',
  path: '/vouchers/:id/cancel',
  access: 'account',
  needs: 'operate',
  kind: 'partner',
  handle: (request) =>
    askAboutVoucher(request, 'cancel', ({ status, serialNumber, remaining }) => {
      if (!isCancellable(status)) return { notice: 'This voucher cannot be cancelled now.' };
      return {
        title: sentence('Cancel voucher {1}?', serialNumber),
        text: html`<p>${money(remaining)} goes back to your gift wallet at once. The owner can no
longer redeem the voucher${
          status === 'REDEEM_INITIATED' && phrase(', and the claim that waits for the code ends')
        }. The owner is not told. This cannot be undone.</p>`,
        button: 'Cancel the voucher',
      };
    }),
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
