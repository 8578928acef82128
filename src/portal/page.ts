import type { PasswordHashes } from '../crypto/password-hashes.ts';
import type {
  PersonSession,
  PortalSession,
  SessionLifetimes,
  StaffSession,
} from '../db/portal/portal-sessions.ts';
import type { CompanyKind } from '../db/schema/all-tables.ts';
import type { PortalNeed } from '../domain/access/portal-role.ts';
import type { Services } from '../http/services.ts';
import type { Html } from '../rendering/html.ts';
import type { PortalCookies } from './access/cookies.ts';
import type { Form } from './layout/form.ts';

/** The settings of the portal. */
export interface PortalSettings {
  /** The time zone of people who have chosen none: an IANA name. */
  readonly marketTimeZone: string;
  readonly session: SessionLifetimes;
  readonly signIn: {
    readonly windowSeconds: number;
    /** Limit for an address, or for a device. */
    readonly perAccount: number;
    readonly perAccountAnywhere: number;
    readonly perAddress: number;
  };
  /** Time between the password and the code of a sign-in. */
  readonly secondStepSeconds: number;
  /** See createPasswordHashes. */
  readonly passwordCost: number;
  readonly passwordThreads: number;
  /** Lifetime of the password that a new person gets. */
  readonly firstPasswordSeconds: number;
}

/** An entry of a menu, as the layout writes it. */
export interface MenuEntry {
  readonly label: string;
  /** Below the site's base path. */
  readonly path: string;
  /** Further pages of this entry, including those below them. */
  readonly further?: readonly string[];
}

/** A site of pages with accounts of its own: the portal, or the pages for staff. */
export interface Site {
  readonly basePath: '/portal' | '/support';
  readonly name: 'Voucher portal' | 'Voucher support';
  /** Whether people of the service sign in, and not people of companies. */
  readonly isForStaff: boolean;
  /** Under the heading of the sign-in form: whom the site is for. */
  readonly audience: string;
  /** The pages that the menu of a person has. */
  menuOf(session: PortalSession | StaffSession): readonly {
    readonly group: string;
    readonly entries: readonly MenuEntry[];
  }[];
}

/** The dependencies of pages. */
export interface PortalTools {
  readonly site: Site;
  readonly services: Services;
  readonly settings: PortalSettings;
  readonly passwords: PasswordHashes;
  readonly cookies: PortalCookies;
}

/** The request of a public page. */
export interface PublicRequest extends PortalTools {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Without fields for GET. */
  readonly form: Form;
  /** The token that every form of the answer carries (csrf.ts). */
  readonly formToken: string;
  /** The normalised source address. */
  readonly sourceAddress: string;
  /** The token in the session cookie, valid or not. */
  readonly sessionToken: string | undefined;
  /** The token of a sign-in whose code is still to come. */
  readonly halfToken: string | undefined;
  /** The token in the device cookie (device.ts). */
  readonly deviceToken: string | undefined;
}

/** The request of a signed-in person, of a company or of the service. */
export interface PersonRequest extends PublicRequest {
  readonly session: PersonSession;
}

/** The request of a page that needs an account. */
export interface AccountRequest extends PersonRequest {
  readonly session: PortalSession;
}

/** Whether a person of a company asks. */
export const isOfCompany = (request: PersonRequest): request is AccountRequest =>
  request.session.company.kind !== 'staff';

export type PageAnswer =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly content: Html;
      /** 200 by default. */
      readonly status?: number;
      readonly retryAfterSeconds?: number;
      /** The browser loads the page again after this time, without a script. */
      readonly refreshSeconds?: number;
      /** The page has the script of "Try it", which calls the API. */
      readonly callsApi?: boolean;
      readonly setCookies?: readonly string[];
    }
  | {
      readonly kind: 'redirect';
      /** A path of the site. */
      readonly to: string;
      /** A notice for the next page; only with a session. */
      readonly notice?: string;
      readonly setCookies?: readonly string[];
    }
  | FileAnswer
  | PageProblem;

/** A file to download. */
export interface FileAnswer {
  readonly kind: 'file';
  /** ASCII, without spaces. */
  readonly name: string;
  readonly type: 'text/csv' | 'text/html';
  readonly content: string;
}

/** The reason why a page cannot be shown; see problem-page.ts. */
export interface PageProblem {
  readonly kind: 'problem';
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** Below the site's base path, as @koa/router writes paths; empty for the first page. */
  readonly path: string;
  /** A form that changes only sessions: it is served while the database is being recovered, too. */
  readonly changesNothing?: true;
}

/** A page without sign-in. */
export interface PublicPage extends PageRoute {
  readonly access: 'anyone';
  /** The path holds a secret, so the Referer must not contain it. */
  readonly hasSecretPath?: true;
  handle(request: PublicRequest): Promise<PageAnswer>;
}

/**
 * What a form changes, as a sentence: the portal shows it where it asks for a proof. Undefined where there is no
 * such thing.
 */
export type Confirmed<Request> = (request: Request) => Html | Promise<Html | undefined> | undefined;

/**
 * What a page needs of the person's role. A change needs more than to read, so that nobody who may
 * only look can post. It also says how the person proves to be there (access/confirmation.ts):
 * by a proof of a short time ago, or else by one that the portal asks for first and that says what is
 * confirmed; `each-time`, by one in the page's own form; `none`, where nothing of the access changes.
 */
type PageNeed =
  | { readonly method: 'GET'; readonly needs: PortalNeed }
  | ({
      readonly method: 'POST';
      readonly needs: Exclude<PortalNeed, 'read' | 'export'>;
    } & (
      | { readonly confirmation: 'each-time' | 'none' }
      // The form is sent once more with the proof, which a file is not.
      | { readonly confirmation: Confirmed<AccountRequest>; readonly form?: never }
    ));

/** A page of one company, for its people. */
export type AccountPage = AccountPageDefinition & PageNeed;

interface AccountPageDefinition extends PageRoute {
  readonly access: 'account';
  /** Only for companies of this kind; other companies get 404. */
  readonly kind?: CompanyKind;
  /**
   * Available also to a suspended company, and to a person who must first change the password or
   * set up one-time passwords.
   */
  readonly always?: true;
  /** The form may contain a small text file, or one that is a long list. */
  readonly form?: 'with-file' | 'with-list';
  handle(request: AccountRequest): Promise<PageAnswer>;
}

/** A page of a person's own account, which both sites have. */
export type PersonPage = AccountPage & {
  readonly confirmation?: 'each-time' | 'none' | Confirmed<PersonRequest>;
  handle(request: PersonRequest): Promise<PageAnswer>;
};

export type Page = PublicPage | AccountPage;

/** The base path of the portal's pages and cookies. */
export const PORTAL_PATH = '/portal';

/** The id in a page's path; 0, which no row has, for invalid text. */
export const idOf = ({ params }: Pick<PublicRequest, 'params'>): number =>
  /^[0-9]{1,15}$/.test(params.id ?? '') ? Number(params.id) : 0;
