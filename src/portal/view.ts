import type { Context } from 'koa';
import type { PortalSession, StaffSession } from '../db/portal/portal-sessions.ts';

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
