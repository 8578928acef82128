import type { Database, DatabaseTransaction } from '../../db/connection.ts';
import type { PersonSession } from '../../db/people/sign-ins.ts';
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
import type { PageAnswer, PagesOf, PersonRequest } from '../page.ts';
import { type ChangedAccess, changeAccess, checkProof, proofFields } from './confirmation.ts';
import { answerStatus, type WrongProof } from './sign-in.ts';

/** A change of access that a page asks about first, and what it does. */
interface AskedChange<Request extends PersonRequest, Need extends string, Subject, Result, Value> {
  readonly path: string;
  readonly needs: Need;
  readonly kind?: CompanyKind;
  /** The row that the path names; undefined where there is none. The transaction of the change finds it again. */
  find(request: Request, database: Database): Promise<Subject | undefined>;
  /** The answer where there is no such row; 404 by default. */
  nothing?(request: Request): PageAnswer;
  question(subject: Subject, request: Request, wrong?: WrongFields): Question;
  /** Reads a form with fields; undefined where no browser sends it so. */
  read?(request: Request, subject: Subject): ReadForm<Value> | undefined | Promise<ReadForm<Value>>;
  /**
   * The confirmed change, where the site asks for a proof. `each-time`: the page itself asks for one, and a recent proof
   * does not count. Without it the session is enough.
   */
  readonly confirmed?: 'each-time' | ((subject: Subject, request: Request) => Html | undefined);
  /** As the audit log names it. */
  readonly action: AccessChangeName;
  /** Undefined where nothing changed. */
  work(
    transaction: DatabaseTransaction,
    request: Request,
    sent: { readonly subject: Subject; readonly value: Value },
  ): Promise<ChangedAccess<Result> | undefined>;
  /** Why nothing changed although the subject is there. */
  readonly problem?: string;
  done(result: Result, request: Request): PageAnswer;
}

/** What a form without fields says. */
const NOTHING: ReadForm<undefined> = { value: undefined };

/** Why the page asks again. */
interface Again {
  readonly wrong?: WrongFields;
  readonly proof?: WrongProof;
  readonly problem?: string | undefined;
}

/** The page that asks, and the form that changes: two pages of one address. */
export function changePages<
  Session extends PersonSession,
  Need extends string,
  FormNeed extends Need,
  Subject,
  Result,
  Value,
>(
  { asked }: PagesOf<Session, Need, FormNeed>,
  change: AskedChange<PersonRequest<Session>, FormNeed, Subject, Result, Value>,
) {
  type Request = PersonRequest<Session>;
  const { path, needs, kind, action, confirmed, nothing = () => problems.notFound } = change;
  const find = (request: Request) => change.find(request, request.services.database);
  const ask = async (
    request: Request,
    { wrong, proof, problem }: Again = {},
  ): Promise<PageAnswer> => {
    const subject = await find(request);
    if (subject === undefined) return nothing(request);
    const { text, fields, ...question } = change.question(subject, request, wrong);
    return questionPage(request, {
      ...question,
      ...(wrong || problem ? { status: 422 } : answerStatus(proof)),
      text: html`${problem !== undefined && message('danger', problem)}${text}`,
      fields: html`${fields}${confirmed === 'each-time' && (await proofFields(request, proof?.problem))}`,
    });
  };
  return asked({
    path,
    needs,
    ...(kind && { kind }),
    ask: (request) => ask(request),
    confirmation:
      typeof confirmed === 'function'
        ? async (request) => {
            const subject = await find(request);
            return subject && confirmed(subject, request);
          }
        : (confirmed ?? 'none'),
    async handle(request) {
      const subject = await find(request);
      if (subject === undefined) return nothing(request);
      const read = change.read ? await change.read(request, subject) : NOTHING;
      if (read === undefined) return problems.invalid;
      if (read.wrong) return ask(request, { wrong: read.wrong });
      const proof = confirmed === 'each-time' ? await checkProof(request) : undefined;
      if (proof) return ask(request, { proof });
      const { value } = read as { readonly value: Value };
      const result = await changeAccess(request, action, async (transaction) => {
        const present = await change.find(request, transaction);
        return present && change.work(transaction, request, { subject: present, value });
      });
      // A subject that is not there any more is answered as above.
      return result === undefined
        ? ask(request, { problem: change.problem })
        : change.done(result, request);
    },
  });
}
