import type { ZodType, z } from 'zod';
import { runAdmin } from '../admin/run-admin.ts';
import { DemoError } from './demo-error.ts';
import type { Transcript } from './transcript.ts';

/** One of the operator's commands. */
interface OperatorStep<Answer extends ZodType> {
  /** A sentence about the step. */
  readonly title: string;
  readonly words: readonly string[];
  /** The part of the command's JSON that the story needs. */
  readonly answer: Answer;
}

/** @throws {DemoError} when the command fails, or its output is unexpected */
export type DemoOperator = <Answer extends ZodType>(
  step: OperatorStep<Answer>,
) => Promise<z.output<Answer>>;

/** Runs a command that changes something, once, and writes its output to the transcript. */
export const createOperatorChange =
  (transcript: Transcript) =>
  async ({ title, words }: Omit<OperatorStep<ZodType>, 'answer'>): Promise<void> =>
    transcript.ran({
      title,
      command: commandOf([...words, ...actor]),
      output: await outputOf([...words, ...actor]),
    });

/** The audit log records who changed what, and may not be told by the account of the machine. */
const actor = ['--actor', 'demo'];

const commandOf = (words: readonly string[]): string => `npm run admin -- ${words.join(' ')}`;

/** Runs commands of `npm run admin` that only look, and writes their output to the transcript. */
export const createOperator =
  (transcript: Transcript): DemoOperator =>
  async ({ title, words, answer }) => {
    const command = commandOf(words);
    transcript.ran({ title, command, output: await outputOf(words) });
    const read = answer.safeParse(JSON.parse(await outputOf([...words, '--json'])));
    if (read.success) return read.data;
    throw new DemoError(`"${command}" has an unexpected output.`);
  };

async function outputOf(words: readonly string[]): Promise<string> {
  let out = '';
  let err = '';
  const exitCode = await runAdmin(words, {
    out: { write: (text) => (out += text) },
    err: { write: (text) => (err += text) },
  });
  if (exitCode === 0) return out.trimEnd();
  throw new DemoError(`The operator's command line fails: ${(err || out).trim()}`);
}
