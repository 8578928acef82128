import type { PasswordHashes } from '../crypto/password-hashes.js';
import type { PortalSession, SessionLifetimes } from '../db/portal/portal-sessions.js';
import type { CompanyKind } from '../db/schema/all-tables.js';
import type { Services } from '../http/services.js';
import type { Html } from '../process/html.js';
import type { PortalCookies } from './access/cookies.js';
import type { Form } from './layout/form.js';

/** What the portal is told of the settings. */
export interface PortalSettings {
  readonly session: SessionLifetimes;
  readonly signIn: {
    readonly windowSeconds: number;
    /** From one address, or one device. */
    readonly perAccount: number;
    readonly perAccountAnywhere: number;
    readonly perAddress: number;
  };
  /** See createPasswordHashes. */
  readonly passwordCost: number;
  readonly passwordThreads: number;
}

/** What pages work with. */
export interface PortalTools {
  readonly services: Services;
  readonly settings: PortalSettings;
  readonly passwords: PasswordHashes;
  readonly cookies: PortalCookies;
}

/** What a page gets that anyone may see. */
export interface PublicRequest extends PortalTools {
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Without fields for GET. */
  readonly form: Form;
  /** What every form of the answer carries (csrf.ts). */
  readonly formToken: string;
  /** The normalised address that the request came from. */
  readonly sourceAddress: string;
  /** The token of the session's cookie, whether or not the session lives. */
  readonly sessionToken: string | undefined;
  /** The token of the device's cookie (device.ts). */
  readonly deviceToken: string | undefined;
}

/** What a page gets that needs an account. */
export interface AccountRequest extends PublicRequest {
  readonly session: PortalSession;
}

export type PageAnswer =
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly content: Html;
      /** 200 where it is left out. */
      readonly status?: number;
      readonly retryAfterSeconds?: number;
      readonly setCookies?: readonly string[];
    }
  | {
      readonly kind: 'redirect';
      /** A path of the portal. */
      readonly to: string;
      /** What the next page tells the person; only with a session. */
      readonly notice?: string;
      readonly setCookies?: readonly string[];
    }
  | FileAnswer
  | PageProblem;

/** A file to be kept. */
export interface FileAnswer {
  readonly kind: 'file';
  /** ASCII, without spaces. */
  readonly name: string;
  readonly type: 'text/csv';
  readonly content: string;
}

/** A page that cannot be shown, and why; see problem-page.ts. */
export interface PageProblem {
  readonly kind: 'problem';
  readonly status: number;
  readonly title: string;
  readonly text: string;
}

interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** Below the portal's base path, as @koa/router writes paths; empty for the first page. */
  readonly path: string;
}

/** A page for people who have not signed in. */
export interface PublicPage extends PageRoute {
  readonly access: 'anyone';
  /** Its path holds a secret: no Referer may name it. */
  readonly hasSecretPath?: true;
  handle(request: PublicRequest): Promise<PageAnswer>;
}

/** A page of one company, for its people. */
export interface AccountPage extends PageRoute {
  readonly access: 'account';
  /** Only for companies of this kind; to others it is not there. */
  readonly kind?: CompanyKind;
  /** Also for a company that is suspended, or a person whose password is to be changed first. */
  readonly always?: true;
  /** Its form may hold a small file of text. */
  readonly form?: 'with-file';
  handle(request: AccountRequest): Promise<PageAnswer>;
}

export type Page = PublicPage | AccountPage;

/** The portal's base path; its pages and its cookies live below it. */
export const PORTAL_PATH = '/portal';

/** The id in a page's path; 0, which nothing has, where it is none. */
export const idOf = ({ params }: Pick<PublicRequest, 'params'>): number =>
  /^[0-9]{1,15}$/.test(params.id ?? '') ? Number(params.id) : 0;
