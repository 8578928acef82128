import { styleText } from 'node:util';
import { DemoError } from './demo-error.ts';
import { readableJson, shorten } from './readable-json.ts';

type Format = Parameters<typeof styleText>[0];

/** The output of the transcript: a terminal, a file, or a test. */
export interface TranscriptOutput {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  hasColors?(): boolean;
}

/** Writes the story: each step, each request with its answer, and what it proves. */
export interface Transcript {
  chapter(title: string): void;
  /** Announces a call in a sentence; calls are numbered. */
  sent(call: {
    readonly title: string;
    readonly method: string;
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  }): void;
  got(answer: { readonly status: number; readonly body: unknown }): void;
  /** Writes a command of the operator, numbered like the calls, with its output. */
  ran(command: { readonly title: string; readonly command: string; readonly output: string }): void;
  /**
   * Writes a confirmed statement.
   *
   * @throws {DemoError} when it is false
   */
  confirm(isTrue: boolean, sentence: string): void;
  say(text: string): void;
}

const MARGIN = '   ';

/** Writes the story as text, in colours on terminals that support them. */
export function createTranscript(output: TranscriptOutput): Transcript {
  const isColoured = output.isTTY === true && output.hasColors?.() === true;
  const paint = (format: Format, text: string) => (isColoured ? styleText(format, text) : text);
  const print = (text = '') => output.write(`${text}\n`);
  const indented = (value: unknown) => readableJson(value).replaceAll('\n', `\n${MARGIN}  `);
  let calls = 0;

  return {
    chapter(title) {
      print(`\n${paint('bold', title)}\n${'─'.repeat(title.length)}`);
    },
    sent({ title, method, url, headers, body }) {
      calls += 1;
      print(`\n${calls}. ${title}`);
      print(`${MARGIN}${paint('cyan', '→')} ${paint('bold', method)} ${url}`);
      for (const [name, value] of Object.entries(headers)) {
        const isSecret = name.startsWith('x-');
        print(`${MARGIN}  ${paint('dim', `${name}: ${isSecret ? shorten(value) : value}`)}`);
      }
      if (body !== undefined) print(`${MARGIN}  ${indented(body)}`);
    },
    got({ status, body }) {
      const text = paint(status < 400 ? 'green' : 'yellow', String(status));
      print(`${MARGIN}${paint('cyan', '←')} ${text} ${indented(body)}`);
    },
    ran({ title, command, output }) {
      calls += 1;
      print(`\n${calls}. ${title}`);
      print(`${MARGIN}${paint('cyan', '$')} ${paint('bold', command)}`);
      print(output.replaceAll(/^(?=.)/gm, `${MARGIN}  `));
    },
    confirm(isTrue, sentence) {
      if (!isTrue) throw new DemoError(`This statement is false: ${sentence}`);
      print(`${MARGIN}${paint('green', `✓ ${sentence}`)}`);
    },
    say: (text) => print(text),
  };
}
