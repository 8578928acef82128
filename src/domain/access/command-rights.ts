import type { Company } from '../voucher.ts';
import type { Scope } from './scope.ts';

/** What a command needs: the kind of company that may send it, and the scope of its API key. */
interface CommandRight {
  readonly companies: readonly Company['kind'][];
  readonly scope: Scope;
}

/** By the kind of operation. Partners and merchants have the same numbers, so a kind is named for each. */
export const commandRights = {
  'generate-voucher': { companies: ['partner'], scope: 'vouchers' },
  'cancel-voucher': { companies: ['partner'], scope: 'vouchers' },
  'resend-message': { companies: ['partner'], scope: 'vouchers' },
  'initiate-claim': { companies: ['partner', 'merchant'], scope: 'vouchers' },
  'redeem-gift': { companies: ['partner', 'merchant'], scope: 'vouchers' },
  'reverse-redemption': { companies: ['merchant'], scope: 'vouchers' },
  'top-up': { companies: ['partner'], scope: 'topups' },
} as const satisfies Readonly<Record<string, CommandRight>>;

export type RightfulCommand = keyof typeof commandRights;

/** Whether this kind of company may send such a command at all. */
export const mayCommand = (kind: Company['kind'], command: RightfulCommand): boolean =>
  (commandRights[command].companies as readonly Company['kind'][]).includes(kind);
