import { afterAll, beforeAll, expect } from 'vitest';
import { makePartner } from '../../../support/companies.ts';
import { type Stack, startStack, TEST_PASSWORD_COST } from '../../../support/stack.ts';
import { type Account, makeAccount } from '../portal-client.ts';

/** A cost at which hashing takes time, as it does in production. */
export const SLOW_PASSWORD_COST = 14;

/** A service with low limits of sign-ins, and an account of one of its partners. */
export function signInScene(passwordCost = TEST_PASSWORD_COST) {
  let stack: Stack;
  let account: Account;
  let partnerId: number;

  const newAccount = (options: Parameters<typeof makeAccount>[2] = {}) =>
    makeAccount(stack, { kind: 'partner', id: partnerId }, { passwordCost, ...options });

  beforeAll(async () => {
    stack = await startStack({
      PORTAL_PASSWORD_COST: String(passwordCost),
      PORTAL_SIGN_INS_PER_ACCOUNT: '3',
      PORTAL_SIGN_INS_PER_ACCOUNT_ANYWHERE: '7',
      PORTAL_SIGN_INS_PER_ADDRESS: '40',
      TRUSTED_PROXIES: '127.0.0.1',
    });
    partnerId = (await makePartner(stack)).id;
    account = await newAccount();
  });
  afterAll(() => stack?.stop());

  return {
    get stack() {
      return stack;
    },
    get account() {
      return account;
    },
    newAccount,

    /** As after further guesses of the one address that has made two: its limit of 40 leaves one more. */
    async leaveOneAttempt() {
      const { numUpdatedRows } = await stack.database
        .updateTable('portal_sign_in_attempts')
        .set({ attempts: 39 })
        .where('attempts', '=', 2)
        .executeTakeFirstOrThrow();
      expect(numUpdatedRows).toBe(1n);
    },

    forgetAttempts: () => stack.database.deleteFrom('portal_sign_in_attempts').execute(),
  };
}
