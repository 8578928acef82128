import { z } from 'zod';
import type { GeneratedVoucher } from '../../workflows/messages.js';
import { outcomeFor } from '../db/operations/operations.js';
import { generatedVoucher } from '../db/vouchers/generation.js';
import { refuseCountry } from '../domain/served-countries.js';
import { formatVoucherCode } from '../domain/voucher-code.js';
import { endpoint } from '../http/endpoint.js';
import { reply } from '../http/envelope.js';
import { moneyAnswer, textAnswer } from '../http/fields/answer-fields.js';
import { idField, msisdnField } from '../http/fields/request-fields.js';
import { identify, runOnce } from '../operations/run-once.js';
import { WorkflowsUnavailableError } from '../operations/workflow-errors.js';
import { optionalSaleFields } from './sale-fields.js';

const bodySchema = z.object({
  denominationId: idField.meta({ description: 'Identifier of an active denomination' }),
  merchantId: idField.nullish().meta({
    description: 'Merchant that redeems the voucher; this or `merchantIdentifier` is needed',
  }),
  merchantIdentifier: z
    .string('must be the identifier as text')
    .min(1, 'must have at least 1 character')
    .max(100, 'must have at most 100 characters')
    .nullish()
    .meta({
      description: 'Merchant by the `identifier` of its record, in place of `merchantId`',
      examples: ['MER-0001'],
    }),
  msisdn: msisdnField.nullable().meta({
    description: 'Phone number of the owner; null makes an anonymous voucher',
    examples: ['+251911234567'],
  }),
  ...optionalSaleFields,
  isRestricted: z
    .boolean('must be true or false')
    .nullish()
    .transform((isRestricted) => isRestricted ?? true)
    .meta({
      description: 'Whether only the given merchant may redeem it; true where it is absent',
      examples: [true],
    }),
});

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
  idempotency: 'header',
  body: bodySchema,
  lacks: ({ merchantId = null, merchantIdentifier = null }) =>
    merchantId === null && merchantIdentifier === null ? 'merchant-unspecified' : undefined,
  answer: z.object({
    voucher: z
      .object({
        id: textAnswer('Identifier of the voucher, as text', '17'),
        voucherCode: textAnswer('Code of the voucher: give it to its owner', '7H3K-9M2P-QX4R-T6WV'),
        amount: moneyAnswer('Value of the voucher in ETB'),
      })
      .meta({ description: 'The new voucher' }),
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
      const refusal =
        body.msisdn === null
          ? undefined
          : refuseCountry(body.msisdn, services.settings.servedCountries);
      if (refusal) return outcomeFor<GeneratedVoucher>(identity, refusal);
      const command = {
        ...as,
        merchant: merchantOf(body),
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

/** The merchant by its id, else by its identifier; validation refuses a body without both. */
const merchantOf = ({ merchantId, merchantIdentifier }: z.output<typeof bodySchema>) =>
  typeof merchantId === 'number' ? { id: merchantId } : { identifier: merchantIdentifier ?? '' };
