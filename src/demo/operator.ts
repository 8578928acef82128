import type { ZodType, z } from 'zod';
import { systemUser } from '../admin/actor.js';
import { runAdmin } from '../admin/run-admin.js';
import { readAdminConfig } from '../config/config.js';
import { DemoError } from './demo-error.js';
import type { Transcript } from './transcript.js';

/** One of the operator's commands. */
interface OperatorStep<Answer extends ZodType> {
  /** What happens, in a sentence. */
  readonly title: string;
  readonly words: readonly string[];
  /** What the story needs of the command's JSON. */
  readonly answer: Answer;
}

/** @throws {DemoError} when the command fails, or tells something else */
export type DemoOperator = <Answer extends ZodType>(
  step: OperatorStep<Answer>,
) => Promise<z.output<Answer>>;

/** Carries out commands of `npm run admin`; what people read of each goes into the transcript. */
export const createOperator =
  (transcript: Transcript): DemoOperator =>
  async ({ title, words, answer }) => {
    const command = `npm run admin -- ${words.join(' ')}`;
    transcript.ran({ title, command, output: await outputOf(words) });
    const read = answer.safeParse(JSON.parse(await outputOf([...words, '--json'])));
    if (read.success) return read.data;
    throw new DemoError(`"${command}" tells something else than told here.`);
  };

async function outputOf(words: readonly string[]): Promise<string> {
  let out = '';
  let err = '';
  const exitCode = await runAdmin(words, {
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
    settings: readAdminConfig,
    user: systemUser,
  });
  if (exitCode === 0) return out.trimEnd();
  throw new DemoError(`The operator's command line fails: ${(err || out).trim()}`);
}
