import type { FoundCompany } from '../../../db/catalogue/companies.ts';
import type { Database, DatabaseTransaction } from '../../../db/connection.ts';
import { forgetSignIns, type WrongSignIns } from '../../../db/limits/attempts.ts';
import {
  findCompanyAccount,
  type GivenPassword,
  listPortalAccounts,
} from '../../../db/people/accounts.ts';
import { type ListedInvitation, listInvitations } from '../../../db/people/invitations.ts';
import { resetSecondFactor } from '../../../db/people/second-factors.ts';
import { disableAccount, resetAccount } from '../../../db/people/sign-ins.ts';
import { type AccessChangeName, hoursOfPassword } from '../../../domain/access.ts';
import { maskMsisdn } from '../../../domain/phone.ts';
import type { StaffNeed } from '../../../domain/staff.ts';
import { invitationStates, inviteMerchant } from '../../../operations/invitations.ts';
import { type Html, type HtmlValue, html } from '../../../rendering/html.ts';
import { problems } from '../../answers.ts';
import {
  badge,
  facts,
  message,
  passwordPage,
  postForm,
  textColumn,
  time,
  timeColumn,
  type WrongFields,
} from '../../layout/parts.ts';
import {
  type PageAnswer,
  readId,
  redirect,
  type StaffPage,
  type StaffRequest,
  staffMay,
} from '../../page.ts';
import { makeGivenPassword } from '../../session/passwords.ts';
import { readWrongSignIns } from '../../session/sign-in.ts';
import { NO_REASON, readWhy, whyField } from '../repair-form.ts';
import { companyPath } from '../repair-parts.ts';
import { companyForms, companyPages, declarePart, partPage } from './company-pages.ts';

type Account = NonNullable<Awaited<ReturnType<typeof findCompanyAccount>>>;

/** A person of a company with the state of the sign-in. */
type Person = Account & { readonly wrong: WrongSignIns | undefined };

async function withWrongSignIns(
  request: StaffRequest,
  accounts: readonly Account[],
): Promise<Person[]> {
  const wrong = await readWrongSignIns(request, accounts);
  return accounts.map((account) => ({
    ...account,
    wrong: wrong.find(({ accountId }) => accountId === account.id),
  }));
}

/** Whether a person can sign in, and else why not. */
function signInState({
  disabledAt,
  isPasswordOver,
  passwordExpiresAt,
  lastSignedInAt,
  wrong,
}: Person): Html {
  if (disabledAt) return html`${badge('plain', 'Disabled')} ${time(disabledAt)}`;
  if (wrong?.lockedUntil)
    return html`${badge('danger', 'Locked')} until ${time(wrong.lockedUntil)}`;
  if (isPasswordOver) return badge('warning', 'Password expired');
  if (passwordExpiresAt)
    return html`${badge('warning', 'Has a first password')} until ${time(passwordExpiresAt)}`;
  return lastSignedInAt ? badge('success', 'Can sign in') : badge('plain', 'Never signed in');
}

const secondFactorOf = ({ hasSecondFactor }: Account) => (hasSecondFactor ? 'On' : 'Off');

const lastSignInOf = ({ lastSignedInAt }: Account) =>
  lastSignedInAt ? time(lastSignedInAt) : 'Never';

/** Who may sign in for the company, and whether they can. */
export const peoplePart = declarePart<Person>({
  path: '/people',
  title: 'People',
  nothing: 'Nobody has an account at the portal.',
  read: async (request, company, page) =>
    withWrongSignIns(request, await listPortalAccounts(request.services.database, company, page)),
  columns: (_request, company) => [
    textColumn(
      'Person',
      ({ id, email }) => html`<a href="${companyPath(company)}/people/${id}">${email}</a>`,
      'head',
    ),
    textColumn('Role', 'role', 'plain'),
    textColumn('Sign-in', signInState, 'plain'),
    textColumn('Second factor', secondFactorOf),
    textColumn('Last signed in', lastSignInOf),
  ],
});

/** The account of the path; undefined where the company has none. */
const accountOf = (
  { services, params }: StaffRequest,
  company: FoundCompany,
  database: Database = services.database,
): Promise<Account | undefined> => findCompanyAccount(database, company, readId(params.account));

/** One person of a company: the state of the sign-in, and what helps. */
export const personPages = companyPages({
  path: '/people/:account',
  handle: personPage,
});

/** The page of a person; the problem of a form has the name of its verb. */
async function personPage(
  request: StaffRequest,
  company: FoundCompany,
  wrong?: WrongFields,
): Promise<PageAnswer> {
  const account = await accountOf(request, company);
  const [person] = account ? await withWrongSignIns(request, [account]) : [];
  if (!person) return problems.notFound;
  const isDeleted = company.status === 'DELETED';
  const possible = changes.filter(
    ({ needs, isPossible }) => !isDeleted && staffMay(request, needs) && isPossible(person),
  );
  const hours = hoursOfPassword(request.services.settings.portal.portalOneTimePasswordSeconds);
  return partPage(company, {
    title: person.email,
    status: wrong && 422,
    content: html`<section class="card">${facts({
      'Sign-in': signInState(person),
      'Wrong attempts now': person.wrong?.attempts ?? 0,
      'Second factor': secondFactorOf(person),
      'Last signed in': lastSignInOf(person),
      Role: person.role,
      Account: person.id,
      Made: time(person.createdAt),
    })}</section>
<section class="card"><h2>Help to sign in</h2>
${
  possible.length === 0
    ? message(
        'notice',
        isDeleted
          ? 'The merchant was deleted: its people do not sign in.'
          : 'Your role may look: a supervisor unlocks, an operator resets.',
      )
    : message('warning', 'Verify who asks before you change anything.')
}
<div class="choices">${possible.map(
      ({ verb, title, text, button, isDanger }) =>
        html`<details${wrong?.[verb] && html` open`}><summary class="button secondary">${title}</summary>
<p>${text(hours)}</p>
${postForm(
  request,
  `${companyPath(company)}/people/${person.id}/${verb}`,
  html`${whyField({ id: `${verb}-why`, error: wrong?.[verb] })}
<p class="actions"><button${isDanger && html` class="danger"`}>${button}</button></p>`,
)}</details>`,
    )}</div></section>`,
  });
}

/** A change of a person's sign-in, as the command line makes it. */
interface SignInChange {
  /** Ends the address of its form. */
  readonly verb: string;
  readonly title: string;
  readonly needs: StaffNeed;
  readonly action: AccessChangeName;
  readonly button: string;
  readonly isDanger?: true;
  /** What comes of it; a password lives for some hours. */
  text(hours: number): string;
  isPossible(account: Account): boolean;
  confirmed(account: Account): Html;
  /** Does it; false where nothing changed. */
  work(
    transaction: DatabaseTransaction,
    account: Account,
    password: GivenPassword | undefined,
  ): Promise<boolean>;
  /** Whether the person gets a new password. */
  readonly givesPassword?: true;
  done(account: Account): string;
}

const isEnabled = ({ disabledAt }: Account): boolean => disabledAt === null;

const changes: readonly SignInChange[] = [
  {
    verb: 'unlock',
    title: 'Unlock',
    needs: 'help',
    action: 'unlock portal-account',
    button: 'Unlock the account',
    text: () => 'Wrong passwords and codes are forgotten: the person may try again at once.',
    isPossible: isEnabled,
    confirmed: ({ email }) => html`You are about to let ${email} try to sign in again.`,
    work: (transaction, { id }) => forgetSignIns(transaction, id),
    done: ({ email }) => `${email} may try again at once.`,
  },
  {
    verb: 'password',
    title: 'Reset the password',
    needs: 'operate',
    action: 'reset portal-password',
    button: 'Make a new password',
    text: (hours) =>
      `A new password is shown once, for ${hours} hours. All sessions end, wrong attempts are forgotten, and a disabled account works again.`,
    isPossible: () => true,
    confirmed: ({ email }) => html`You are about to give ${email} a new password.`,
    async work(transaction, { id }, password) {
      if (password) await resetAccount(transaction, id, password);
      return password !== undefined;
    },
    givesPassword: true,
    done: ({ email }) => `${email} has a new password.`,
  },
  {
    verb: 'second-factor',
    title: 'Reset the second factor',
    needs: 'operate',
    action: 'reset second-factor',
    button: 'Remove the second factor',
    isDanger: true,
    text: () =>
      'For a person who has lost the phone or the passkeys, and the recovery codes. The next sign-in takes only the password.',
    isPossible: ({ hasSecondFactor }) => hasSecondFactor,
    confirmed: ({ email }) => html`You are about to remove the second factor of ${email}.`,
    work: (transaction, { id }) => resetSecondFactor(transaction, id),
    done: ({ email }) => `${email} signs in with the password alone.`,
  },
  {
    verb: 'disable',
    title: 'Disable the account',
    needs: 'operate',
    action: 'disable portal-account',
    button: 'Disable it',
    isDanger: true,
    text: () =>
      'The person can no longer sign in, and all sessions end. A new password enables it again.',
    isPossible: isEnabled,
    confirmed: ({ email }) => html`You are about to disable the account of ${email}.`,
    work: (transaction, { id }) => disableAccount(transaction, id),
    done: ({ email }) => `The account of ${email} is disabled.`,
  },
];

const signInForm = (change: SignInChange): readonly StaffPage[] =>
  companyForms({
    path: `/people/:account/${change.verb}`,
    needs: change.needs,
    async find(request, company, database) {
      const account = await accountOf(request, company, database);
      return account && { account, company };
    },
    async read(request) {
      const why = readWhy(request);
      if (why === undefined) return { wrong: { [change.verb]: NO_REASON } };
      return { value: { why, made: change.givesPassword && (await makeGivenPassword(request)) } };
    },
    confirmed: ({ account }) => change.confirmed(account),
    action: change.action,
    again: personPage,
    async work(transaction, _request, { subject: { account }, value: { why, made } }) {
      const { id: accountId, email } = account;
      const isChanged =
        change.isPossible(account) && (await change.work(transaction, account, made?.given));
      return { result: isChanged, details: isChanged ? { accountId, email, why } : undefined };
    },
    done({ subject: { account, company }, value: { made }, result: isChanged }, request) {
      const path = `${companyPath(company)}/people/${account.id}`;
      if (!isChanged) return redirect(path, 'Nothing was changed: look again.');
      if (!made) return redirect(path, change.done(account));
      return passwordPage(request, {
        title: 'New password',
        email: account.email,
        label: 'Password for the next sign-in',
        password: made.password,
        back: path,
      });
    },
  });

export const signInForms: readonly StaffPage[] = changes.flatMap(signInForm);

/** The invitations of a merchant to the portal. */
export const invitationsPart = declarePart<ListedInvitation>({
  path: '/invitations',
  title: 'Invitations',
  kinds: ['merchant'],
  nothing: 'Nobody was invited to the portal.',
  read: ({ services }, { id }, page) => listInvitations(services.database, id, page),
  columns: () => [
    textColumn('To', 'email', 'head'),
    timeColumn('Invited', 'createdAt'),
    textColumn('State', ({ status }) => invitationStates[status], 'plain'),
    textColumn('Until', 'expiresAt'),
    textColumn('E-mail', ({ mail, mailMessage }) => sentAs(mail, mailMessage)),
    textColumn(
      'SMS',
      ({ msisdn, sms, smsMessage }) =>
        msisdn !== null && html`${maskMsisdn(msisdn)} ${sentAs(sms, smsMessage)}`,
    ),
  ],
  further: (request, company) =>
    company.status === 'ACTIVE' &&
    staffMay(request, 'help') &&
    html`<details><summary class="button secondary">Invite again</summary>
<p>A new link goes to where the last one went, else to the addresses of the merchant. It works once and for 24 hours, and
replaces the last one. The person who uses it chooses the password, and all sessions of that account end.</p>
${postForm(
  request,
  `${companyPath(company)}/invite`,
  html`<button>Send the link</button>`,
  'one-button',
)}</details>`,
});

const sentAs = (state: string | null, message: string | null): HtmlValue =>
  state && `${state.toLowerCase()}${message ? `: ${message}` : ''}`;

/** Invites a merchant again: to where the last invitation went, so that staff choose no address. */
export const inviteAgainForms = companyForms({
  path: '/invite',
  kinds: ['merchant'],
  needs: 'help',
  find: async (_request, company) => ({ company }),
  confirmed: ({ company: { name } }) => html`You are about to invite ${name} to the portal again.`,
  action: 'invite merchant',
  async work(transaction, _request, { subject: { company } }) {
    const { id: merchantId } = company;
    const [last] = await listInvitations(transaction, merchantId, { limit: 1, offset: 0 });
    const invited = await inviteMerchant(transaction, {
      merchantId,
      email: last?.email,
      msisdn: last?.msisdn ?? undefined,
    });
    if (!invited.ok) return { result: refusals[invited.why] };
    const { ok, replacedId, ...details } = invited;
    return {
      result: `A link is on its way to ${invited.email}.`,
      details: { ...details, replacedInvitationId: replacedId ?? null },
    };
  },
  done: ({ subject: { company }, result: notice }) =>
    redirect(`${companyPath(company)}/invitations`, notice),
});

const refusals = {
  unknown: 'The merchant was deleted.',
  deactivated: 'The merchant is deactivated: an operator activates it first.',
  disabled: 'The account of this address is disabled: only a reset of its password enables it.',
  'address-taken':
    'This address signs in for another company: an operator invites another address.',
} as const;
