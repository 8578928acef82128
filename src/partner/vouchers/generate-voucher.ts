import { z } from 'zod';
import type { GeneratedVoucher } from '../../../workflows/contracts.ts';
import { generateVoucherId } from '../../../workflows/workflow-ids.ts';
import { outcomeFor } from '../../db/operations/operations.ts';
import { generatedVoucher } from '../../db/vouchers/generation.ts';
import { refuseCountry } from '../../domain/served-countries.ts';
import { formatVoucherCode } from '../../domain/vouchers/voucher-code.ts';
import { endpoint } from '../../http/endpoint.ts';
import { reply } from '../../http/envelope.ts';
import { moneyAnswer, textAnswer } from '../../http/fields/answer-fields.ts';
import { identify, runOnce } from '../../operations/run-once.ts';
import { WorkflowsUnavailableError } from '../../operations/workflow-client/workflow-errors.ts';
import { lacksMerchant, merchantOf, voucherFields, withMerchant } from './voucher-fields.ts';

const bodySchema = withMerchant(z.object(voucherFields));

/** Generates a gift voucher for a merchant and an owner (specification 4.1). */
export const generateVoucher = endpoint({
  method: 'POST',
  path: '/topup-transactions/generate-voucher',
  operation: 'generate-voucher',
  summary: 'Generate a voucher',
  description:
    'Takes the denomination from the gift balance and answers a new voucher. `msisdn: null` ' +
    'makes an anonymous voucher, which is redeemed without a verification code. An ' +
    '`Idempotency-Key` makes the request safe to repeat.',
  access: 'token',
  scope: 'vouchers',
  idempotency: 'header',
  body: bodySchema,
  lacks: (body) => (lacksMerchant(body) ? 'merchant-unspecified' : undefined),
  answer: z.object({
    voucher: z
      .object({
        id: textAnswer('Identifier of the voucher, as text', '17'),
        voucherCode: textAnswer('Code of the voucher: give it to its owner', '7H3K-9M2P-QX4R-T6WV'),
        amount: moneyAnswer('Value of the voucher in ETB'),
      })
      .meta({ title: 'GeneratedVoucher', description: 'The new voucher' }),
  }),
  reasons: [
    'account-suspended',
    'merchant-unspecified',
    'country-not-served',
    'product-not-accessible',
    'denomination-not-found',
    'merchant-not-found',
    'price-not-defined',
    'money-insufficient',
    'daily-limit-reached',
    'number-limit-reached',
    'database-failed',
    'key-reused',
    'still-processing',
    'generation-unknown',
  ],
  async handle({ services, company, body, key }) {
    const identity = identify(services, {
      company,
      kind: 'generate-voucher',
      key,
      content: body,
    });
    const { result, replayed } = await runOnce(services, identity, async (as, deadline) => {
      const refusal = refuseCountry(body.msisdn, services.settings.servedCountries);
      if (refusal) return outcomeFor<GeneratedVoucher>(identity, refusal);
      const command = {
        ...as,
        merchant: merchantOf(body) ?? { identifier: '' },
        denominationId: body.denominationId,
        ownerMsisdn: body.msisdn,
        isRestricted: body.isRestricted,
        sale: {
          exchangeRate: body.exchangeRate ?? null,
          currency: body.currency ?? null,
          originatingCountry: body.originatingCountry ?? null,
          foreignCurrencyAmount: body.foreignCurrencyAmount ?? null,
        },
      };
      services.noteInLog?.({ workflowId: generateVoucherId(as.operationId) });
      return services.workflows.generate(command, deadline);
    });
    if (!result.ok) return { ...result, replayed };
    const voucher = await generatedVoucher(services.database, result.voucherId);
    // An answer copied from another workflow must not reveal its voucher code.
    if (voucher.operation_id !== identity.operationId) throw new WorkflowsUnavailableError(false);
    const code = services.secretBox.open(
      voucher.code_ciphertext,
      `voucher ${voucher.operation_id}`,
    );
    return reply(
      {
        voucher: {
          id: String(voucher.id),
          voucherCode: formatVoucherCode(code),
          amount: voucher.amount,
        },
      },
      { message: 'Voucher generated', replayed },
    );
  },
});
