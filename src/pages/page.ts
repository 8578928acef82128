import type { Context } from 'koa';
import type { PasswordHashes } from '../crypto/password-hashes.ts';
import type { Database } from '../db/connection.ts';
import type { PersonSession, PortalSession, StaffSession } from '../db/people/sign-ins.ts';
import type { PortalNeed } from '../domain/access.ts';
import { mayAsStaff, type StaffNeed } from '../domain/staff.ts';
import type { CompanyKind } from '../domain/vouchers/voucher.ts';
import type { Services } from '../http/services.ts';
import type { Html } from '../rendering/html.ts';
import type { PageCookies } from './session/cookies.ts';

/** The fields of a sent form; of a repeated field the first counts. */
export interface Form {
  /** Empty where the field is missing. */
  text(name: string): string;
  /** The names of all fields. */
  names(): readonly string[];
}

/** A name in one line, without characters that would overlap other text. */
export function readNameField(text: string, maximumLength: number): string | undefined {
  const name = text.trim().normalize('NFC');
  const isPrintable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name);
  return isPrintable && name.length <= maximumLength ? name : undefined;
}

/** An entry of a menu, for those who may use its page. */
interface MenuEntry {
  readonly label: string;
  /** Of its page, below the site's base path. */
  readonly path: string;
  /** Further pages of this entry, including those below them. */
  readonly further?: readonly string[];
  /** The number of things that wait there for the person. */
  readonly count?: number | undefined;
}

export type Menu = readonly {
  readonly group: string;
  readonly entries: readonly MenuEntry[];
}[];

/** What pages know of their site: the portal, or the pages for staff. */
export interface Site {
  readonly basePath: '/portal' | '/support';
  readonly name: 'Voucher portal' | 'Voucher support';
  /** Whether people of the service sign in, and not people of companies. */
  readonly isForStaff: boolean;
  /** Under the heading of the sign-in form: whom the site is for. */
  readonly audience: string;
  /** The cards on the page of the account for people of this site alone. */
  accountCards?(request: PersonRequest): Promise<Html>;
}

/** A signed-in person of either site. */
export type SiteSession = PortalSession | StaffSession;

/** A site of pages with accounts of its own. */
export interface SiteOf<Session extends SiteSession, Need extends string> extends Site {
  /** Of two paths that match, the later one answers. */
  readonly pages: readonly Page<Session, Need>[];
  readonly menu: Menu;
  /**
   * The session of a token; undefined where it has ended, or belongs to the other site. It lasts longer where it is
   * used.
   */
  findSession(
    database: Database,
    tokenDigests: readonly Buffer[],
    isUsed: boolean,
  ): Promise<Session | undefined>;
  /** The numbers of things that wait for the person behind entries of the menu, by their paths. */
  countsOfMenu?(
    database: Database,
    session: Session,
  ): Promise<Readonly<Record<string, number | undefined>>>;
  /** Whether the person's role includes the pages of a need. */
  mayUse(session: Session, need: Need): boolean;
}

/** Either site, for the pipeline of both: the sessions that a site finds are those that its pages take. */
export type AnySite = SiteOf<SiteSession, string>;

/** The dependencies of pages. */
export interface PageTools {
  readonly site: Site;
  readonly services: Services;
  readonly passwords: PasswordHashes;
  readonly cookies: PageCookies;
}

/** The request of a public page. */
export interface PublicRequest extends PageTools {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Without fields for GET. */
  readonly form: Form;
  /** The token that every form of the answer carries. */
  readonly formToken: string;
  /** The normalised source address. */
  readonly sourceAddress: string;
  /** The token in the session cookie, valid or not. */
  readonly sessionToken: string | undefined;
  /** The token of a sign-in whose second factor is still to come. */
  readonly halfToken: string | undefined;
  /** The token in the device cookie (session/session.ts). */
  readonly deviceToken: string | undefined;
}

/** The request of a signed-in person, of a company or of the service. */
export interface PersonRequest<Session extends PersonSession = PersonSession>
  extends PublicRequest {
  readonly session: Session;
}

/** The request of a person of a company. */
export type AccountRequest = PersonRequest<PortalSession>;

/** The request of a person of the service. */
export type StaffRequest = PersonRequest<StaffSession>;

export type PageAnswer =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly content: Html;
      /** 200 by default. */
      readonly status?: number | undefined;
      readonly retryAfterSeconds?: number | undefined;
      /** The page that is shown in answer to a form of another path: the menu marks its entry. */
      readonly shownAt?: string;
      /** The browser loads the page again after this time, without a script; the page declares that it `refreshes`. */
      readonly refreshSeconds?: number | undefined;
      /** The page that loads itself again has fields: a script keeps what somebody types. */
      readonly keepsTyping?: true;
      /** The page has the script of "Try it", which calls the API. */
      readonly callsApi?: boolean;
      readonly setCookies?: readonly string[] | undefined;
    }
  | {
      readonly kind: 'redirect';
      /** A path of the site. */
      readonly to: string;
      /** A notice for the next page; only with a session. */
      readonly notice?: string | undefined;
      readonly setCookies?: readonly string[] | undefined;
    }
  | FileAnswer
  | PageProblem;

/** Leads to another page of the site, which shows the notice. */
export const redirect = (to: string, notice?: string): PageAnswer => ({
  kind: 'redirect',
  to,
  notice,
});

/** A file to download. */
export interface FileAnswer {
  readonly kind: 'file';
  /** ASCII, without spaces. */
  readonly name: string;
  readonly type: 'text/csv' | 'text/html';
  readonly content: string;
}

/** The reason why a page cannot be shown; see answers.ts. */
export interface PageProblem {
  readonly kind: 'problem';
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** At the support desk, where the text speaks of companies and their people. */
  readonly textForStaff?: string | undefined;
}

/** The answer of a page: HTML alone is its content under the declared title. */
type Handled = PageAnswer | Html | Promise<PageAnswer | Html>;

interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** Below the site's base path, as @koa/router writes paths; empty for the first page. */
  readonly path: string;
  /** Of a page whose content is all that it answers. */
  readonly title?: string;
  /** A form that changes only sessions: it is served while the database is being recovered, too. */
  readonly changesNothing?: true;
}

/** A page without sign-in. */
export interface PublicPage extends PageRoute {
  readonly access: 'anyone';
  /** The path holds a secret, so the Referer must not contain it. */
  readonly hasSecretPath?: true;
  handle(request: PublicRequest): Handled;
}

/**
 * What a form changes, as a sentence: the site shows it where it asks for a proof. Undefined where there is no
 * such thing. A method by type, as `handle` is, so that the pages of both sites are pages of `AnySite`.
 */
export type Confirmed<Request> = {
  confirmed(request: Request): Html | Promise<Html | PageAnswer | undefined> | undefined;
}['confirmed'];

/** A page for signed-in people. */
export interface PersonPage<Session extends PersonSession, Need extends string> extends PageRoute {
  readonly access: 'person';
  readonly needs: Need;
  /** Only for companies of this kind; other companies get 404. */
  readonly kind?: CompanyKind;
  /**
   * Available also to a suspended company, and to a person who must first change the password or
   * set up a second factor.
   */
  readonly always?: true;
  /** The page may load itself again (`refreshSeconds`), which its person does not do. */
  readonly refreshes?: true;
  /** The form may contain a small text file, or a file with a long list. */
  readonly form?: 'with-file' | 'with-list';
  /**
   * How the person proves to be there before a form changes something (session/confirmation.ts). By
   * default a recent proof counts. Without one the site asks for a proof first, and says what is
   * confirmed. `each-time`: a proof in the page's own form. `none`: the session is enough.
   */
  readonly confirmation?: 'each-time' | 'none' | Confirmed<PersonRequest<Session>>;
  handle(request: PersonRequest<Session>): Handled;
}

export type Page<Session extends PersonSession, Need extends string> =
  | PublicPage
  | PersonPage<Session, Need>;

export type PortalPage = PersonPage<PortalSession, PortalNeed>;
export type StaffPage = PersonPage<StaffSession, StaffNeed>;

type Definition<Declared> = Omit<Declared, 'method' | 'access' | 'form' | 'confirmation'>;

type FormDefinition<Session extends PersonSession, Need extends string> = Definition<
  PersonPage<Session, Need>
> &
  Pick<PersonPage<Session, Need>, 'form'> &
  Required<Pick<PersonPage<Session, Need>, 'confirmation'>>;

/** Declares the pages that signed-in people read, and the forms that they send. */
function pagesOf<Session extends PersonSession, Need extends string, FormNeed extends Need>() {
  const page = (declared: Definition<PersonPage<Session, Need>>): PersonPage<Session, Need> => ({
    ...declared,
    method: 'GET',
    access: 'person',
  });
  const form = (declared: FormDefinition<Session, FormNeed>): PersonPage<Session, Need> => ({
    ...declared,
    method: 'POST',
    access: 'person',
  });
  return {
    page,
    form,
    /** The page that asks, and the form that changes: two pages of one address. */
    asked({
      ask,
      ...declared
    }: FormDefinition<Session, FormNeed> & {
      readonly ask: PersonPage<Session, Need>['handle'];
    }): readonly [ask: PersonPage<Session, Need>, form: PersonPage<Session, Need>] {
      const { path, needs, kind } = declared;
      return [page({ path, needs, ...(kind && { kind }), handle: ask }), form(declared)];
    },
    /** A form that only shows something. Its address leads back where somebody reloads the answer. */
    shown: ({
      back,
      ...declared
    }: Definition<PersonPage<Session, Need>> & {
      back(request: PersonRequest<Session>): PageAnswer;
    }): readonly PersonPage<Session, Need>[] => [
      page({ ...declared, handle: back }),
      { ...declared, method: 'POST', access: 'person', changesNothing: true, confirmation: 'none' },
    ],
  };
}

export type PagesOf<
  Session extends PersonSession,
  Need extends string,
  FormNeed extends Need,
> = ReturnType<typeof pagesOf<Session, Need, FormNeed>>;

/** For people of companies. A person who may only look can send no form that changes something. */
export const portal = pagesOf<PortalSession, PortalNeed, Exclude<PortalNeed, 'read' | 'export'>>();

/** For people of the service. */
export const support = pagesOf<StaffSession, StaffNeed, StaffNeed>();

/** For the own account of both. */
export const bothSites = pagesOf<PersonSession, 'own', 'own'>();

/** Without sign-in, on both sites. */
export const anyone = {
  page: (page: Definition<PublicPage>): PublicPage => ({
    ...page,
    method: 'GET',
    access: 'anyone',
  }),
  form: (form: Definition<PublicPage>): PublicPage => ({
    ...form,
    method: 'POST',
    access: 'anyone',
  }),
};

/** Whether the role of a person of the service includes a need. */
export const staffMay = ({ session }: StaffRequest, need: StaffNeed): boolean =>
  mayAsStaff(session.staff.role, need);

/** The base path of the portal's pages and cookies. */
export const PORTAL_PATH = '/portal';

/**
 * The page of keys, addresses and public keys, with the anchors `#keys`, `#addresses`,
 * `#public-keys`.
 */
export const ACCESS_PATH = `${PORTAL_PATH}/access`;

/** The base path of the pages for staff and of their cookies. */
export const SUPPORT_PATH = '/support';

/** The id that a text is; 0, which no row has, for other text. */
export const readId = (text = ''): number => (/^[0-9]{1,15}$/.test(text) ? Number(text) : 0);

/** The id in a page's path. */
export const idOf = ({ params }: Pick<PublicRequest, 'params'>): number => readId(params.id);

/** The person that a page is written for. Pages of errors show their navigation, too. */
export interface View {
  readonly session: SiteSession;
  /** Token of the sign-out form. */
  readonly formToken: string;
  /** The entries that the person may use; none before the person has set everything up. */
  readonly menu: Menu;
}

const views = new WeakMap<Context, View>();

/** Stores the signed-in person for the rest of a request. */
export function setView(context: Context, view: View): void {
  views.set(context, view);
}

/** The signed-in person; undefined where there is none or it is unknown. */
export const viewOf = (context: Context): View | undefined => views.get(context);
