import type { Context } from 'koa';
import type { PortalSession } from '../db/portal/portal-sessions.js';

/** For whom a page is written: pages of errors, too, have the navigation of whoever is signed in. */
export interface View {
  readonly session: PortalSession;
  /** What the sign-out form carries. */
  readonly formToken: string;
}

const views = new WeakMap<Context, View>();

/** Remembers, for the rest of a request, who is signed in. */
export function setView(context: Context, view: View): void {
  views.set(context, view);
}

/** Who is signed in; undefined where that is not known. */
export const viewOf = (context: Context): View | undefined => views.get(context);
