import { type ZodType, z } from 'zod';
import type { JsonObject } from '../../http/body/json-body.ts';
import { idField, msisdnField } from '../../http/fields/request-fields.ts';
import { optionalSaleFields } from '../sale-fields.ts';

/** What describes a voucher to be generated (specification 4.1). */
export const voucherFields = {
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
};

/** Whether a body names no merchant. */
export const lacksMerchant = ({ merchantId, merchantIdentifier }: JsonObject): boolean =>
  (merchantId ?? null) === null && (merchantIdentifier ?? null) === null;

/** Requires a merchant; a missing one is named together with the other wrong fields. */
export const withMerchant = <Body extends ZodType>(body: Body): Body =>
  body.refine((sent) => !lacksMerchant(sent as JsonObject), {
    path: ['merchantId'],
    error: 'must be sent, or merchantIdentifier',
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

/** The merchant by its id, else by its identifier; undefined where a body has neither. */
export const merchantOf = (body: {
  readonly merchantId?: number | null | undefined;
  readonly merchantIdentifier?: string | null | undefined;
}): { readonly id: number } | { readonly identifier: string } | undefined => {
  const { merchantId, merchantIdentifier } = body;
  if (typeof merchantId === 'number') return { id: merchantId };
  return typeof merchantIdentifier === 'string' ? { identifier: merchantIdentifier } : undefined;
};
