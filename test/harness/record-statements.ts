import { appendFileSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** A statement of the service, with the values of its first use. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether PostgreSQL keeps a plan of it, which may be one for all values. */
  readonly isPrepared: boolean;
}

/** The logins of a test's stack that have the rights of a process (test/support/global-setup.ts). */
const LOGIN_OF_SERVICE = /^test_(api|worker)$/;

/** Test files share a process. */
const recorded = globalThis as { recordedStatements?: Set<string> };

/** Adds every statement of API and worker in this process to a file, once. */
function recordStatements(file: string): void {
  if (recorded.recordedStatements) return;
  const known = new Set<string>();
  recorded.recordedStatements = known;
  const query = pg.Client.prototype.query as (...parameters: unknown[]) => unknown;
  const record = (user: string | undefined, [first, second]: readonly unknown[]) => {
    const { text, values, name } =
      typeof first === 'string'
        ? { text: first, values: second, name: undefined }
        : (first as { text: string; values?: unknown; name?: string });
    if (!LOGIN_OF_SERVICE.test(user ?? '') || known.has(text)) return;
    known.add(text);
    if (!/^\s*(\/\*.*?\*\/)?[\s(]*(select|with|insert|update|delete)\b/i.test(text)) return;
    const statement: RecordedStatement = {
      text,
      values: Array.isArray(values) ? values : [],
      isPrepared: name !== undefined,
    };
    appendFileSync(file, `${JSON.stringify(statement)}\n`);
  };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...parameters: unknown[]) {
      const answer = query.apply(this, parameters);
      // Tests of rights ask for what PostgreSQL refuses a process.
      if (answer instanceof Promise)
        answer.then(
          () => record(this.user, parameters),
          () => {},
        );
      else record(this.user, parameters);
      return answer;
    },
  });
}

/** The statements of a file, each once. */
export function readStatements(file: string): RecordedStatement[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const statements = lines.map((line): RecordedStatement => JSON.parse(line));
  return [...new Map(statements.map((statement) => [statement.text, statement])).values()];
}

/** Where `STATEMENTS_FILE` names a file, tests leave their statements there for the proof of the plans. */
export const statementsFile = process.env.STATEMENTS_FILE || undefined;

if (statementsFile) recordStatements(statementsFile);
