import { lockApiKey, setApiKeyScopes } from '../../../db/access/api-key-power.ts';
import { type Scope, scopes, scopesOf } from '../../../domain/access/scope.ts';
import type { Company } from '../../../domain/voucher.ts';
import { AdminError } from '../../admin-error.ts';
import { changeCommand } from '../../command.ts';
import { argument, byConversion, id, required } from '../../fields.ts';
import { ownerOf } from '../../record-names.ts';

/** Scopes with commas between them, in the order of the table. */
export const scopeList = byConversion(
  'scopes',
  `must be one or more of ${scopes.join(', ')}, with commas between them`,
  (given): readonly Scope[] | undefined => {
    const words = given.split(',').map((word) => word.trim());
    const isKnown = words.every((word) => (scopes as readonly string[]).includes(word));
    return isKnown ? scopes.filter((scope) => words.includes(scope)) : undefined;
  },
);

/** The scopes, if keys of the company can have them. @throws {AdminError} */
export function requireScopes(company: Company, given: readonly Scope[]): readonly Scope[] {
  const impossible = given.find((scope) => !scopesOf(company.kind).includes(scope));
  if (impossible === undefined) return given;
  throw new AdminError(`Keys of a ${company.kind} cannot have the scope ${impossible}.`);
}

export const setKeyScopes = changeCommand({
  name: 'set key-scopes',
  details:
    'The scopes replace those of the key. Its tokens follow within two seconds; what is running is ' +
    'checked again where it moves money. Scopes: read; vouchers; topups (partners).',
  fields: {
    id: argument(id, 'The id of the key: see list api-keys'),
    scopes: required(scopeList, 'What the key may do, such as read,topups'),
  },
  examples: ['set key-scopes 7 --scopes read', 'set key-scopes 7 --scopes read,vouchers'],
  async change(transaction, input) {
    const key = await lockApiKey(transaction, input.id);
    if (!key) throw new AdminError(`There is no valid API key ${input.id}: see "list api-keys".`);
    const company = ownerOf(key);
    const after = requireScopes(company, input.scopes);
    if (after.join() === key.scopes.join())
      return { unchanged: `No change: API key ${input.id} already has these scopes.` };
    await setApiKeyScopes(transaction, input.id, after);
    const [was, is] = [key.scopes, after].map((list) => list.join(', '));
    return {
      subject: company,
      details: { keyId: input.id, name: key.name, prefix: key.prefix, before: key.scopes, after },
      text: `API key ${input.id} (${key.name}) has the scopes ${is}; before: ${was}.`,
    };
  },
});
