import type { DatabaseTransaction } from '../../db/connection.ts';
import type { AccessChangeName } from '../../domain/access.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, html } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import { message, type Question, questionPage, type WrongFields } from '../layout/parts.ts';
import {
  type AccountRequest,
  type PageAnswer,
  type PageProblem,
  type PortalPage,
  portal,
} from '../page.ts';
import { changeAccess, proofPages } from '../session/confirmation.ts';

/** A question of a page, and the work of its form. */
interface Asked<Subject, Result> {
  readonly path: string;
  readonly needs: 'develop' | 'people';
  /** The row that the path names; undefined where the company has none. */
  find(request: AccountRequest): Promise<Subject | undefined>;
  question(
    subject: Subject,
    request: AccountRequest,
    wrong?: WrongFields,
  ): Omit<Question, 'isDanger'>;
  /** As the audit log names it. */
  readonly action: AccessChangeName;
  work(
    transaction: DatabaseTransaction,
    request: AccountRequest,
  ): Promise<
    { readonly result: Result; readonly details: Readonly<Record<string, unknown>> } | undefined
  >;
}

/** A change of the company's access that a page asks about first. */
interface AskedChange<Subject, Result> extends Asked<Subject, Result> {
  readonly kind?: CompanyKind;
  /** The problems of a form with fields; undefined where it has none. A form without fields takes something away. */
  check?(request: AccountRequest): WrongFields | undefined;
  /** The confirmed change, where the site asks for a proof. */
  confirmed(subject: Subject, request: AccountRequest): Html;
  /** Why nothing changed although the subject is there. */
  readonly problem?: string;
  done(result: Result): PageAnswer;
}

/** The page that asks, and the form that changes: two pages of one address. */
export function changePages<Subject, Result>(
  change: AskedChange<Subject, Result>,
): readonly [ask: PortalPage, form: PortalPage] {
  const { path, needs, kind, action } = change;
  const ask = async (
    request: AccountRequest,
    {
      wrong,
      problem,
    }: { readonly wrong?: WrongFields; readonly problem?: string | undefined } = {},
  ): Promise<PageAnswer> => {
    const subject = await change.find(request);
    if (subject === undefined) return problems.notFound;
    const { text, ...question } = change.question(subject, request, wrong);
    return questionPage(request, {
      ...question,
      text: html`${problem !== undefined && message('danger', problem)}${text}`,
      status: wrong || problem ? 422 : undefined,
      ...(!change.check && { isDanger: true }),
    });
  };
  return portal.asked({
    path,
    needs,
    ...(kind && { kind }),
    ask: (request) => ask(request),
    async confirmation(request) {
      const subject = await change.find(request);
      return subject && change.confirmed(subject, request);
    },
    async handle(request) {
      const wrong = change.check?.(request);
      if (wrong) return ask(request, { wrong });
      const result = await changeAccess(request, action, (transaction) =>
        change.work(transaction, request),
      );
      // A subject that is not there gets 404.
      return result === undefined ? ask(request, change) : change.done(result);
    },
  });
}

/** A secret that is shown after a proof, each time. */
interface AskedSecret<Subject, Result> extends Asked<Subject, Result> {
  /** The answer where there is nothing to show. */
  readonly problem: PageProblem;
  show(request: AccountRequest, result: Result): PageAnswer;
}

/** The page that asks for a proof, and the form that shows a secret: two pages of one address. */
export const secretPages = <Subject, Result>({
  action,
  work,
  problem,
  show,
  ...secret
}: AskedSecret<Subject, Result>): readonly [ask: PortalPage, form: PortalPage] =>
  proofPages(portal, {
    ...secret,
    nothing: () => problems.notFound,
    async change(request) {
      const result = await changeAccess(request, action, (transaction) =>
        work(transaction, request),
      );
      return result === undefined ? problem : show(request, result);
    },
  });
