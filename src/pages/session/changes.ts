import { addPersonEntry } from '../../db/access/calls.ts';
import { lockCompany } from '../../db/access/company-access.ts';
import type { Database, DatabaseTransaction } from '../../db/connection.ts';
import { lockSession, type PersonSession } from '../../db/people/sign-ins.ts';
import type { AccessChangeName } from '../../domain/access.ts';
import type { Company, CompanyKind, Employer } from '../../domain/vouchers/voucher.ts';
import { html } from '../../rendering/html.ts';
import { problems, suspendedPage } from '../answers.ts';
import {
  message,
  type Question,
  questionPage,
  type ReadForm,
  type Reading,
  type WrongFields,
} from '../layout/parts.ts';
import type {
  AccountRequest,
  Confirmed,
  PageAnswer,
  PagesOf,
  PersonPage,
  PersonRequest,
} from '../page.ts';
import { checkProof, proofFields } from './confirmation.ts';
import { answerStatus } from './sign-in.ts';

/** The result of a change for its page, and what the log stores of it, never a secret. */
interface Changed<Result> {
  readonly result?: Result;
  /** Without them nothing changed. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** The problems of a form that came too late. */
  readonly wrong?: WrongFields;
}

/** A change of access by a form: what the form says, what it does, and where it leads. */
export interface FormChange<
  Request extends PersonRequest,
  Need extends string,
  Subject,
  Value,
  Result,
> {
  readonly path: string;
  readonly needs: Need;
  readonly kind?: CompanyKind;
  readonly always?: true;
  /** Whose access staff change; that of the person's own company by default. */
  employer?(request: Request): Employer;
  /**
   * The subject of the change, such as the row that the path names; undefined where there is none. A change finds it
   * under its lock.
   */
  find(request: Request, database: Database): Promise<Subject | undefined>;
  /** The answer where there is no such row, or nothing changed; 404 by default. */
  nothing?(request: Request): PageAnswer | Promise<PageAnswer>;
  /** What the page of the form asks. A form without a question stands on the page of another address, `again`. */
  question?(subject: Subject, request: Request, wrong?: WrongFields): Question;
  /** That page with the problems of the form: `proof` is that of the proof, `form` that of the form as a whole. */
  again?(
    request: Request,
    wrong: WrongFields,
    answer: ReturnType<typeof answerStatus>,
  ): PageAnswer | Promise<PageAnswer>;
  /** Reads a form with fields. */
  read?(request: Request): Reading<Value>;
  /**
   * The confirmed change, where the site asks for a proof. `each-time`: the page of the form asks for one, and a recent
   * proof does not count. Without it the session is enough.
   */
  readonly confirmed?:
    | 'each-time'
    | ((subject: Subject, request: Request) => ReturnType<Confirmed<Request>>);
  /** As the audit log names it; what a person chooses alone is in no log. */
  readonly action?: AccessChangeName | ((value: Value) => AccessChangeName);
  /** Undefined where nothing changed. */
  work(
    transaction: DatabaseTransaction,
    request: Request,
    sent: { readonly subject: Subject; readonly value: Value },
  ): Promise<Changed<Result> | undefined>;
  done(
    done: { readonly subject: Subject; readonly value: Value; readonly result: Result },
    request: Request,
  ): PageAnswer;
}

/** The subject of a change of the company as a whole. */
export const ownCompany = async ({ session }: AccountRequest): Promise<Company> => session.company;

/** What a form without fields says. */
const NOTHING: ReadForm<undefined> = { value: undefined };

/** The form of a change; with a question also the page that asks, at the same address. */
export function changePages<
  Session extends PersonSession,
  Need extends string,
  FormNeed extends Need,
  Subject,
  Value,
  Result,
>(
  { asked, form }: PagesOf<Session, Need, FormNeed>,
  change: FormChange<PersonRequest<Session>, FormNeed, Subject, Value, Result>,
): readonly PersonPage<Session, Need>[] {
  const { question, nothing = () => problems.notFound, again = nothing, ...changed } = change;
  const { find, confirmed, read: readForm, action, employer, work, done, ...page } = changed;
  type Request = PersonRequest<Session>;
  const ask = async (
    request: Request,
    wrong?: WrongFields,
    answer = wrong ? { status: 422 } : {},
  ): Promise<PageAnswer> => {
    if (!question) return wrong ? again(request, wrong, answer) : nothing(request);
    const subject = await find(request, request.services.database);
    if (subject === undefined) return nothing(request);
    const { text, fields, ...shown } = question(subject, request, wrong);
    return questionPage(request, {
      ...shown,
      ...answer,
      text: html`${wrong?.form !== undefined && message('danger', wrong.form)}${text}`,
      fields: html`${fields}${confirmed === 'each-time' && (await proofFields(request, wrong?.proof))}`,
    });
  };
  const declared = {
    ...page,
    confirmation:
      typeof confirmed === 'function'
        ? async (request: Request) => {
            const subject = await find(request, request.services.database);
            return subject && confirmed(subject, request);
          }
        : (confirmed ?? 'none'),
    async handle(request: Request): Promise<PageAnswer> {
      const read = readForm ? await readForm(request) : NOTHING;
      if (read === undefined) return problems.invalid;
      if (read.wrong) return ask(request, read.wrong);
      const isProved = confirmed === 'each-time';
      // The proof of a repetition was used, and must not count as a wrong attempt.
      if (isProved && !(await find(request, request.services.database))) return nothing(request);
      const proof = isProved ? await checkProof(request) : undefined;
      if (proof) return ask(request, { proof: proof.problem }, answerStatus(proof));
      const { value } = read as { readonly value: Value };
      const named = typeof action === 'function' ? action(value) : action;
      const made = await changeAccess(request, named, employer?.(request), async (transaction) => {
        const subject = await find(request, transaction);
        if (subject === undefined) return undefined;
        const outcome = await work(transaction, request, { subject, value });
        return outcome && { subject, ...outcome };
      });
      if (!made || made.wrong) return ask(request, made?.wrong);
      return done({ subject: made.subject, value, result: made.result as Result }, request);
    },
  } as const;
  return question ? asked({ ...declared, ask: (request) => ask(request) }) : [form(declared)];
}

/** The person was removed, signed out or given another role, or the company suspended, while the form waited. */
export class SessionEndedError extends Error {
  override readonly name = 'SessionEndedError';
  /** The answer of the form. */
  readonly answer: PageAnswer;

  constructor(answer: PageAnswer) {
    super();
    this.answer = answer;
  }
}

/**
 * Changes the access of a company or of a person of the service, in one transaction with the entry of the audit
 * log. Staff change that of the company that they help. Owners are told about that entry (domain/access.ts).
 * Changes of one company run one at a time, so that limits hold. Undefined where there is nothing to change, also where
 * the company that staff help was deleted meanwhile.
 *
 * @throws {SessionEndedError} where the person may not change it any more
 */
function changeAccess<Done extends Changed<unknown>>(
  { services, session, sourceAddress }: PersonRequest,
  action: AccessChangeName | undefined,
  employer: Employer | undefined,
  work: (transaction: DatabaseTransaction) => Promise<Done | undefined>,
): Promise<Done | undefined> {
  const subject = employer ?? session.company;
  return services.database.transaction().execute(async (transaction) => {
    const isThere = subject.kind === 'staff' || (await lockCompany(transaction, subject));
    const status = await lockSession(transaction, session);
    // The people of a deleted merchant have no access.
    if (status === undefined || !(employer || isThere))
      throw new SessionEndedError(problems.notYourRole);
    const wasActive = 'companyStatus' in session && session.companyStatus === 'ACTIVE';
    if (wasActive && status !== 'ACTIVE') throw new SessionEndedError(suspendedPage(session));
    const done = isThere ? await work(transaction) : undefined;
    if (action && done?.details) {
      // People of the company see the address of its own people.
      const address = employer ? 'staffAddress' : 'sourceAddress';
      const details = { ...done.details, [address]: sourceAddress };
      await addPersonEntry(transaction, session, action, details, subject);
    }
    return done;
  });
}
