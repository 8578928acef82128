import { expect } from 'vitest';
import type { Company } from '../../../../src/domain/vouchers/voucher.ts';
import type { Stack } from '../../../support/stack.ts';
import { type Account, type PortalClient, portalClient } from '../portal-client.ts';

/** The page of the person's factors, and the second step of a sign-in. */
export const PAGE = '/portal/account/second-factor';
export const STEP = '/portal/sign-in/second-factor';

export const recoveryCodesIn = (html: string): string[] =>
  [...html.matchAll(/<code>((?:[a-z2-9]{4}-?){4})<\/code>/g)].map(([, code = '']) => code);

export const isIn = async (client: PortalClient): Promise<boolean> =>
  (await client.get('/portal')).status === 200;

/** The tools of a file whose stack is started later. */
export function secondFactorTools(stackOf: () => Stack) {
  let addresses = 0;
  const entriesOf = ({ id }: Company) =>
    stackOf()
      .database.selectFrom('audit_log')
      .select(['action', 'details'])
      .where('subject_id', '=', id)
      .where('subject_kind', '=', 'partner')
      .orderBy('id')
      .execute();
  return {
    /** A browser elsewhere after the password: its address has counts of its own. */
    async afterPassword(account: Account): Promise<PortalClient> {
      addresses += 1;
      const client = portalClient(stackOf(), { 'x-forwarded-for': `203.0.113.${addresses}` });
      expect(await client.signIn(account)).toMatchObject({
        status: 303,
        location: `${STEP}?next=%2Fportal`,
      });
      return client;
    },
    entriesOf,
    actionsOf: async (company: Company): Promise<string[]> =>
      (await entriesOf(company)).map(({ action }) => action),
  };
}
