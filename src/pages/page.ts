import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import type { PasswordHashes } from '../crypto/password-hashes.ts';
import type { PersonSession, PortalSession, StaffSession } from '../db/people/sign-ins.ts';
import type { PortalNeed } from '../domain/access.ts';
import { type Refusal, refuse } from '../domain/refusals.ts';
import type { CompanyKind } from '../domain/vouchers/voucher.ts';
import { readRawBody } from '../http/body/json-body.ts';
import type { Services } from '../http/services.ts';
import type { Html } from '../rendering/html.ts';

/** A year. */
const DEVICE_SECONDS = 31_536_000;

type PortalCookies = ReturnType<typeof createCookies>;

/**
 * The cookies of a site, the portal or the pages for staff, each with its own: the session; a visit without a session, which the forms of the sign-in page
 * belong to; half a sign-in, between password and code; the language of
 * its pages; and the device, which only separates guesses from the person's own attempts
 * (device.ts). Scripts cannot read them, and other sites cannot make a browser send them. They are
 * Secure unless the portal runs on this machine; then no other host of the domain can set them
 * (`__Host-`).
 */
export function createCookies(publicUrl: string, { basePath }: { readonly basePath: string }) {
  const isSecure = !isLoopbackHost(new URL(publicUrl).hostname);
  const prefix = isSecure ? '__Host-' : '';
  const attributes = isSecure
    ? 'Path=/; HttpOnly; SameSite=Lax; Secure'
    : `Path=${basePath}; HttpOnly; SameSite=Lax`;
  const cookie = (purpose: string, lifetime = '') => {
    const name = `${prefix}${basePath.slice(1)}-${purpose}`;
    return {
      name,
      /** The value of a Set-Cookie header. */
      set: (value: string) => `${name}=${value}; ${attributes}${lifetime}`,
      clear: () => `${name}=; ${attributes}; Max-Age=0`,
    };
  };
  return {
    isSecure,
    session: cookie('session'),
    visit: cookie('visit'),
    half: cookie('half'),
    language: cookie('language', `; Max-Age=${DEVICE_SECONDS}`),
    device: cookie('device', `; Max-Age=${DEVICE_SECONDS}`),
  };
}

/** Host names of this machine in the form of URLs. */
const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

const TOKEN = /^[\w-]{43}$/;

/**
 * A cookie's value in the format of our tokens. Undefined where the cookie appears with two values,
 * because somebody else has set one of them.
 */
export function readToken(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  const named = pairs.filter((pair) => pair.startsWith(`${name}=`));
  const [value, ...others] = new Set(named.map((pair) => pair.slice(name.length + 1)));
  return value !== undefined && others.length === 0 && TOKEN.test(value) ? value : undefined;
}

/** The fields of a sent form; of a repeated field the first counts. */
export interface Form {
  /** Empty where the field is missing. */
  text(name: string): string;
  /** The names of all fields. */
  names(): readonly string[];
}

export const emptyForm: Form = { text: () => '', names: () => [] };

const FORM_LIMIT_BYTES = 32_768;
const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** Reads a form in the encoding of browsers. */
export async function readForm(request: IncomingMessage): Promise<Form | Refusal> {
  if (!URL_ENCODED.test(request.headers['content-type'] ?? ''))
    return refuse('media-type-unsupported');
  const body = await readRawBody(request, FORM_LIMIT_BYTES);
  const fields = new URLSearchParams(body.toString('utf8'));
  return { text: (name) => fields.get(name) ?? '', names: () => [...new Set(fields.keys())] };
}

/** A name in one line, without characters that would overlap other text. */
export function readName(text: string, maximumLength: number): string | undefined {
  const name = text.trim().normalize('NFC');
  const isPrintable = /^[^\p{C}\p{Zl}\p{Zp}]+$/u.test(name);
  return isPrintable && name.length <= maximumLength ? name : undefined;
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

/** The person that a page is written for. Pages of errors show their navigation, too. */
export interface View {
  readonly session: PortalSession | StaffSession;
  /** Token of the sign-out form. */
  readonly formToken: string;
}

const views = new WeakMap<Context, View>();

/** Stores the signed-in person for the rest of a request. */
export function setView(context: Context, view: View): void {
  views.set(context, view);
}

/** The signed-in person; undefined where there is none or it is unknown. */
export const viewOf = (context: Context): View | undefined => views.get(context);
