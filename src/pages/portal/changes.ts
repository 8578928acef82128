import type { DatabaseTransaction } from '../../db/connection.ts';
import type { AccessChangeName } from '../../domain/access.ts';
import type { CompanyKind } from '../../domain/vouchers/voucher.ts';
import { type Html, html } from '../../rendering/html.ts';
import { problems } from '../answers.ts';
import {
  message,
  type Question,
  questionPage,
  type ReadForm,
  type WrongFields,
} from '../layout/parts.ts';
import {
  type AccountRequest,
  type PageAnswer,
  type PageProblem,
  type PortalPage,
  portal,
} from '../page.ts';
import { type ChangedAccess, changeAccess, proofPages } from '../session/confirmation.ts';

/** A question of a page, and the work of its form. */
interface Asked<Subject, Result, Value> {
  readonly path: string;
  readonly needs: 'develop' | 'people' | 'operate';
  /** The row that the path names; undefined where the company has none. */
  find(request: AccountRequest): Promise<Subject | undefined>;
  question(
    subject: Subject,
    request: AccountRequest,
    wrong?: WrongFields,
  ): Omit<Question, 'isDanger'>;
  /** As the audit log names it. */
  readonly action: AccessChangeName;
  /** Undefined where the subject is there no more. */
  work(
    transaction: DatabaseTransaction,
    request: AccountRequest,
    sent: { readonly subject: Subject; readonly value: Value },
  ): Promise<ChangedAccess<Result> | undefined>;
}

/** A change of the company's access that a page asks about first. */
interface AskedChange<Subject, Result, Value> extends Asked<Subject, Result, Value> {
  readonly kind?: CompanyKind;
  /** Reads a form with fields; undefined where no browser sends it so. A form without fields takes something away. */
  read?(
    request: AccountRequest,
    subject: Subject,
  ): ReadForm<Value> | undefined | Promise<ReadForm<Value>>;
  /** The confirmed change, where the site asks for a proof. Without it the session is enough. */
  confirmed?(subject: Subject, request: AccountRequest): Html | undefined;
  /** Why nothing changed although the subject is there. */
  readonly problem?: string;
  done(result: Result, request: AccountRequest): PageAnswer;
}

/** What a form without fields says. */
const NOTHING: ReadForm<undefined> = { value: undefined };

/** The page that asks, and the form that changes: two pages of one address. */
export function changePages<Subject, Result, Value>(
  change: AskedChange<Subject, Result, Value>,
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
      ...(!change.read && { isDanger: true }),
    });
  };
  return portal.asked({
    path,
    needs,
    ...(kind && { kind }),
    ask: (request) => ask(request),
    confirmation: change.confirmed
      ? async (request) => {
          const subject = await change.find(request);
          return subject && change.confirmed?.(subject, request);
        }
      : 'none',
    async handle(request) {
      const subject = await change.find(request);
      if (subject === undefined) return problems.notFound;
      const read = change.read ? await change.read(request, subject) : NOTHING;
      if (read === undefined) return problems.invalid;
      if (read.wrong) return ask(request, { wrong: read.wrong });
      const { value } = read as { readonly value: Value };
      const result = await changeAccess(request, action, (transaction) =>
        change.work(transaction, request, { subject, value }),
      );
      // A subject that is not there any more gets 404.
      return result === undefined ? ask(request, change) : change.done(result, request);
    },
  });
}

/** A secret that is shown after a proof, each time. */
interface AskedSecret<Subject, Result> extends Asked<Subject, Result, undefined> {
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
    async change(request, subject) {
      const result = await changeAccess(request, action, (transaction) =>
        work(transaction, request, { subject, value: undefined }),
      );
      return result === undefined ? problem : show(request, result);
    },
  });
