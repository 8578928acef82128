import { webhookHost } from './events.ts';
import { amountText } from './money.ts';
import { type Refusal, refuse } from './refusals.ts';
import type { Company, Employer } from './vouchers/voucher.ts';

/**
 * The changes that people of a company see, most of them of its access, and the changes of an account of the service,
 * by their action in the audit log. Each says what happened, which detail names the subject, and whether the owners
 * and the person of the account are told by e-mail.
 */
export interface AccessChange {
  readonly text: string;
  readonly of:
    | 'key'
    | 'address'
    | 'public-key'
    | 'webhook'
    | 'person'
    | 'company'
    | 'voucher'
    | 'top-up'
    | 'bulk-order'
    | 'sign-in'
    | 'price';
  readonly isTold: boolean;
}

const change =
  (isTold: boolean) =>
  (of: AccessChange['of'], text: string): AccessChange => ({ of, text, isTold });
const told = change(true);
const shown = change(false);

export const accessChanges = {
  'issue api-key': told('key', 'Created the API key'),
  'copy api-key': shown('key', 'Copied the API key'),
  'rotate api-key': told('key', 'Rotated the API key'),
  'revoke api-key': told('key', 'Revoked the API key'),
  'set key-scopes': told('key', 'Changed the scopes of the API key'),
  'set key-limits': told('key', 'Changed the daily limits of the API key'),
  'set daily-limits': shown('company', 'Changed the daily limits of the company'),
  'register address': told('address', 'Registered the address'),
  'remove address': told('address', 'Removed the address'),
  'register public-key': told('public-key', 'Registered the public key'),
  'revoke public-key': told('public-key', 'Revoked the public key'),
  'add webhook': told('webhook', 'Added the webhook'),
  'pause webhook': told('webhook', 'Paused the webhook'),
  'resume webhook': told('webhook', 'Resumed the webhook'),
  'rotate webhook-secret': told('webhook', 'Rotated the secret of the webhook'),
  'remove webhook': told('webhook', 'Removed the webhook'),
  'test webhook': shown('webhook', 'Sent a test event to the webhook'),
  'send-again webhook': shown('webhook', 'Sent events again to the webhook'),
  'cancel voucher': shown('voucher', 'Asked to cancel'),
  'resend message': shown('voucher', 'Asked to send the message again of'),
  'retry top-up': shown('top-up', 'Asked to retry'),
  'order vouchers': shown('company', 'Ordered vouchers in bulk'),
  'sell voucher': shown('company', 'Asked to sell a voucher'),
  'sell top-up': shown('company', 'Asked to sell a top-up'),
  'cancel bulk-order': shown('bulk-order', 'Asked to cancel'),
  'download voucher-codes': shown('bulk-order', 'Downloaded the result of'),
  'set selling-price': shown('price', 'Set the selling price of the voucher of'),
  'set low-balance': shown('company', 'Set the low balance of a wallet'),
  'set message-language': shown('company', 'Changed the language of messages to owners'),
  'sign in': shown('company', 'Signed in'),
  'fail sign-in': shown('sign-in', 'Did not sign in:'),
  'sign out everywhere': shown('company', 'Signed out everywhere'),
  'change portal-password': told('company', 'Changed the password'),
  'invite merchant': shown('person', 'Invited to the portal:'),
  'activate portal-account': told('person', 'Activated the account of'),
  'create portal-account': told('person', 'Created the portal account of'),
  'unlock portal-account': told('person', 'Let sign in again after wrong passwords:'),
  'reset portal-password': told('person', 'Reset the portal password of'),
  'disable portal-account': told('person', 'Disabled the portal account of'),
  'invite person': told('person', 'Gave an account to'),
  'set portal-role': told('person', 'Changed the role of'),
  'remove person': told('person', 'Removed the account of'),
  'switch on one-time-password': told('person', 'Switched on one-time passwords for'),
  'switch off one-time-password': told('person', 'Switched off one-time passwords for'),
  'add passkey': told('person', 'Added a passkey for'),
  'remove passkey': told('person', 'Removed a passkey of'),
  'reset second-factor': told('person', 'Reset the second factor of'),
  'renew recovery-codes': told('person', 'Made new recovery codes for'),
  'use recovery-code': told('person', 'Used a recovery code of'),
  'create staff-account': told('person', 'Gave an account to'),
  'set staff-role': told('person', 'Changed the role of'),
  'reset staff-account': told('person', 'Reset the password and the second factor of'),
  'disable staff-account': told('person', 'Disabled the account of'),
  'require second-factors': told('company', 'Required a second factor of all people'),
  'release second-factors': told('company', 'Left the second factor to each person'),
  'suspend partner': shown('company', 'Suspended the company'),
  'reinstate partner': shown('company', 'Reinstated the company'),
  'set service-fee': shown('company', 'Set the service fee'),
  'set payout-account': shown('company', 'Set the payout account'),
  'import merchants': shown('company', 'Changed the data of the company'),
  'deactivate merchant': shown('company', 'Deactivated the company'),
  'activate merchant': shown('company', 'Activated the company'),
} satisfies Readonly<Record<string, AccessChange>>;

export type AccessChangeName = keyof typeof accessChanges;

/** The change of an action; undefined where people of companies do not see it. */
export const accessChangeOf = (action: string): AccessChange | undefined =>
  (accessChanges as Readonly<Record<string, AccessChange>>)[action];

/** The actions that are told by e-mail. */
export const toldActions: readonly string[] = Object.entries(accessChanges)
  .filter(([, { isTold }]) => isTold)
  .map(([action]) => action);

/** The details that have the ids of subjects with a page of their own. */
export const idDetails = {
  voucher: 'voucherId',
  'top-up': 'transactionId',
  'bulk-order': 'bulkOrderId',
} as const;

/** The subject of a change in plain text, from the details of its audit entry. */
export function changedSubject(
  { of }: AccessChange,
  details: Readonly<Record<string, unknown>>,
): string {
  const detail = (name: string) => {
    const value = details[name];
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  switch (of) {
    case 'key':
      return `${detail('name')} (${detail('prefix')}…)`;
    case 'address':
      return detail('address');
    case 'public-key':
      return `${detail('fingerprint').slice(0, 16)}…`;
    // The path and the query of an address may hold a secret.
    case 'webhook':
      return detail('url') === '' ? '' : webhookHost(detail('url'));
    case 'person':
      return detail('email');
    case 'sign-in':
      return detail('why');
    case 'price':
      return changedPrice(details);
    case 'voucher':
      return `voucher ${detail(idDetails[of])}`;
    case 'top-up':
      return `top-up ${detail(idDetails[of])}`;
    case 'bulk-order':
      return `bulk order ${detail(idDetails[of])}`;
    case 'company':
      return '';
  }
}

/** A voucher with its new selling price and the one before. */
function changedPrice({ amount, after, before, merchantId }: Readonly<Record<string, unknown>>) {
  const decimal = (value: unknown) => amountText(String(value));
  return (
    `ETB ${decimal(amount)}: USD ${decimal(after)}${merchantId === null ? '' : ` for merchant ${merchantId}`}, ` +
    `${before === null ? 'none' : `USD ${decimal(before)}`} before`
  );
}

/** Begins the actor of an audit entry that a person has made in the portal. */
export const PORTAL_ACTOR = 'portal:';

/** Begins the actor of an audit entry that a person of the service has made at `/support`. */
const STAFF_ACTOR = 'staff:';

/** The actor of the audit log for a person of the service, by the id of the account. */
export const staffActor = (accountId: number): string => `${STAFF_ACTOR}${accountId}`;

/** Whether a person of the service has signed in; anybody can give any other name on the command line. */
export const isStaffActor = (actor: string): boolean => actor.startsWith(STAFF_ACTOR);

/** The actor of an audit entry that a signed-in person makes. */
export const actorOfPerson = (person: {
  readonly email: string;
  readonly company: Employer;
}): string =>
  person.company.kind === 'staff' ? staffActor(person.company.id) : PORTAL_ACTOR + person.email;

/** Companies do not see the names of operators and staff. */
export const actorName = (actor: string): string =>
  actor.startsWith(PORTAL_ACTOR) ? actor.slice(PORTAL_ACTOR.length) : 'An operator';

/** What an API key may do. Scopes are independent: `vouchers` does not include `read`. */
export const scopes = ['read', 'vouchers', 'topups'] as const;
export type Scope = (typeof scopes)[number];

const scopesByKind: Readonly<Record<Company['kind'], readonly Scope[]>> = {
  partner: scopes,
  merchant: ['read', 'vouchers'],
};

/** The scopes that keys of a kind of company can have. */
export const scopesOf = (kind: Company['kind']): readonly Scope[] => scopesByKind[kind];

/** The meaning of each scope, for people. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  read: 'Read lists, balances, vouchers and top-ups; change nothing',
  vouchers:
    'Generate, claim, redeem and cancel vouchers, reverse redemptions, send messages again, set ' +
    'selling prices',
  topups: 'Send and retry top-ups of airtime and packages',
};

/** The power of an API key; the successor of a rotated key has the power of the old one. */
export interface ApiKeyPower {
  readonly scopes: readonly Scope[];
  /** Decimal string in ETB: what vouchers and top-ups of a day may cost; null without a limit. */
  readonly dailyAmount: string | null;
  /** How many vouchers and top-ups it may begin on a day; null without a limit. */
  readonly dailyOperations: number | null;
}

/** Status of an API key. An ENDING key was rotated and still works until its end. */
export type ApiKeyStatus = 'VALID' | 'ENDING' | 'EXPIRED' | 'REVOKED';

/** Age from which the portal and the command line recommend a rotation (specification 5). */
export const ROTATION_WARNING_DAYS = 90;

/** Whether to recommend a rotation. A rotated key already has an end. */
export const needsRotation = (key: {
  readonly status: ApiKeyStatus;
  readonly ageDays: number;
}): boolean => key.status === 'VALID' && key.ageDays >= ROTATION_WARNING_DAYS;

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

/** Whether a company may send its command, as the database knows it when it is carried out. */
export interface CompanyAuthority {
  /** Whether the caller's API key and token are still valid. */
  readonly isAdmitted: boolean;
  readonly companyIsActive: boolean;
}

/** Checks the caller of a partner's command. */
export function refusePartner({
  isAdmitted,
  companyIsActive,
}: CompanyAuthority): Refusal | undefined {
  if (!isAdmitted) return refuse('token-invalid');
  return companyIsActive ? undefined : refuse('account-suspended');
}

/** The role of a person in the portal of a company. */
export const portalRoles = ['owner', 'finance', 'developer', 'viewer'] as const;
export type PortalRole = (typeof portalRoles)[number];

/**
 * What a page of the portal needs. `own`: the person's own account. `read`: pages about the business,
 * which change nothing. `export`: statements and files. `develop`: keys, addresses, calls and their
 * log. `operate`: what moves money or sends messages: orders, cancellations, retries, prices. `people`:
 * who else may do what.
 */
export type PortalNeed = 'own' | 'read' | 'export' | 'develop' | 'operate' | 'people';

const allowed: Readonly<Record<PortalNeed, readonly PortalRole[]>> = {
  own: portalRoles,
  read: portalRoles,
  export: ['owner', 'finance'],
  develop: ['owner', 'developer'],
  operate: ['owner', 'finance'],
  people: ['owner'],
};

/** Whether a role may use a page. */
export const mayUse = (role: PortalRole, need: PortalNeed): boolean => allowed[need].includes(role);

/** The roles that may use the pages of a need. */
export const rolesFor = (need: PortalNeed): readonly PortalRole[] => allowed[need];

/** How long a password lives that somebody else has seen, in hours for people. */
export const hoursOfPassword = (lifetimeSeconds: number): number =>
  Math.max(1, Math.round(lifetimeSeconds / 3_600));

/** The roles in words for people. */
export const portalRoleMeanings: Readonly<Record<PortalRole, string>> = {
  owner: 'everything, and who else may sign in',
  finance:
    'read everything about the business; sell, order, cancel and retry; prices; statements and files',
  developer: 'read everything about the business; keys, addresses, calls and their log',
  viewer: 'read everything about the business, and change nothing',
};
