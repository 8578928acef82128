import { grantAccess, revokeAccess } from '../../db/catalogue/product-access.ts';
import type { DatabaseTransaction } from '../../db/connection.ts';
import { changeCommand } from '../command.ts';
import { id, required } from '../fields.ts';
import { requireSubject } from '../record-names.ts';

const fields = {
  partner: required(id, 'The id of the partner'),
  product: required(id, 'The id of the product'),
};

async function namesOf(
  transaction: DatabaseTransaction,
  input: { readonly partner: number; readonly product: number },
) {
  const partner = await requireSubject(transaction, 'partner', input.partner);
  const product = await requireSubject(transaction, 'product', input.product);
  return {
    access: { partnerId: input.partner, productId: input.product },
    partner: `Partner ${input.partner} (${partner.name})`,
    product: `product ${input.product} (${product.name})`,
    subject: { kind: 'partner', id: input.partner },
    details: { productId: input.product, product: product.name },
  };
}

export const grantAccessCommand = changeCommand({
  name: 'grant access',
  fields,
  examples: ['grant access --partner 1 --product 2'],
  async change(transaction, input) {
    const { access, partner, product, subject, details } = await namesOf(transaction, input);
    return (await grantAccess(transaction, access))
      ? { subject, details, text: `${partner} may sell ${product} from now on.` }
      : { unchanged: `No change: ${partner} may already sell ${product}.` };
  },
});

export const revokeAccessCommand = changeCommand({
  name: 'revoke access',
  details: 'Its generated vouchers stay valid.',
  fields,
  examples: ['revoke access --partner 1 --product 2'],
  async change(transaction, input) {
    const { access, partner, product, subject, details } = await namesOf(transaction, input);
    return (await revokeAccess(transaction, access))
      ? { subject, details, text: `${partner} may no longer sell ${product}.` }
      : { unchanged: `No change: ${partner} has no access to ${product}.` };
  },
});
