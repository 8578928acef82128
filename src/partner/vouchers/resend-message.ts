import { z } from 'zod';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { idAnswer } from '../../http/fields/answer-fields.ts';
import { resendMessageOnce } from '../../operations/later-voucher-operations.ts';
import { voucherParams } from './voucher-view.ts';

/** Sends an owner the message that was lost once more (beyond the specification). */
export const resendMessage = endpoint({
  method: 'POST',
  path: '/vouchers/:voucherId/resend',
  operation: 'resend-message',
  summary: 'Send a message to the owner again',
  description:
    'Sends the verification code of the open claim once more, the same code. Without a claim it ' +
    'sends the confirmation of the last redemption, unless the provider accepted that one. ' +
    'Pauses and daily limits are those of claims.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  params: voucherParams,
  answer: z.object({
    id: idAnswer('voucher'),
    kind: z.enum(['VERIFICATION_CODE', 'REDEMPTION_CONFIRMATION']).meta({
      description: 'The message that was sent',
      examples: ['VERIFICATION_CODE'],
    }),
  }),
  reasons: [
    'account-suspended',
    'voucher-id-not-found',
    'nothing-to-resend',
    'resend-too-soon',
    'messages-exhausted',
    'messages-refused',
    'company-messages-exhausted',
    'message-not-queued',
    'database-failed',
    'key-reused',
    'still-processing',
  ],
  async handle({ services, company, params, key }) {
    const { voucherId } = params;
    const { result, replayed } = await resendMessageOnce(services, { company, key, voucherId });
    if (!result.ok) return { ...result, replayed };
    const message = result.sending === 'unknown' ? 'Message being sent' : 'Message sent';
    return reply({ id: voucherId, kind: result.kind }, { message, replayed });
  },
});
