import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { codeBlocks, guide } from '../docs/guides.ts';

const folder = mkdtempSync(join(tmpdir(), 'repeat-loops-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An answer of the service; null is a lost answer. */
type Answer = readonly [status: number, headers?: Readonly<Record<string, string>>] | null;

const LOOP_OF = (language: string): string =>
  codeBlocks(guide('repeat-safely.md'), language).find((code) => code.includes('send(')) ?? '';

/** A `requests` that gives the answers in turn, and a clock that nobody waits for. */
const PYTHON = `
import json, sys, time, types

requests = types.ModuleType("requests")
requests.RequestException = type("RequestException", (Exception,), {})
sys.modules["requests"] = requests
time.sleep = lambda seconds: None
answers = json.loads(sys.argv[1])
sent = 0

class Session:
    def post(self, url, **request):
        global sent
        sent += 1
        answer = answers.pop(0)
        if answer is None:
            raise requests.RequestException()
        status, headers = (answer + [{}])[:2]
        body = {"statusCode": status, "message": "Refused"}
        return types.SimpleNamespace(json=lambda: body, headers=headers)

def log_in(session):
    pass
`;

const PYTHON_END = `
try:
    end = send(Session(), "https://api.test/generate-voucher", {}, "order-1")["statusCode"]
except RuntimeError as error:
    end = str(error)
print(json.dumps([end, sent]))
`;

function runPython(answers: readonly Answer[]): [end: unknown, sent: number] {
  const file = join(folder, 'loop.py');
  writeFileSync(file, PYTHON + LOOP_OF('python') + PYTHON_END);
  return JSON.parse(execFileSync('python3', [file, JSON.stringify(answers)], { encoding: 'utf8' }));
}

async function runNode(answers: readonly Answer[]): Promise<[end: unknown, sent: number]> {
  const loop = LOOP_OF('js')
    .replace(/^import .*/m, '')
    .replace('export ', '');
  const make = new Function('signed', 'logIn', 'sleep', `${loop}; return send;`);
  const left = [...answers];
  const signed = async () => {
    const answer = left.shift();
    if (!answer) throw new Error('No answer');
    const [statusCode, headers] = answer;
    const body = { statusCode, message: 'Refused' };
    return { json: async () => body, headers: new Headers(headers) };
  };
  const pass = async () => {};
  const end = await make(
    signed,
    pass,
    pass,
  )('/topup-transactions/initiate-claim', { idempotencyKey: 'order-1' }).then(
    ({ statusCode }: { statusCode: number }) => statusCode,
    ({ message }: Error) => message,
  );
  return [end, answers.length - left.length];
}

const of = (reason: string) => ({ 'x-error-reason': reason });
const OPEN = expect.stringMatching(/^order-1 is still open \(/);

describe.each([
  ['Python', runPython],
  ['Node.js', runNode],
])('the loop of the guide in %s', (_language, run) => {
  test.each<[title: string, answers: readonly Answer[], end: unknown]>([
    ['repeats a lost answer', [null, [200]], 200],
    ['logs in once', [[401, of('token-invalid')], [200]], 200],
    ['waits as long as it is told', [[429, { 'Retry-After': '60' }], [200]], 200],
    ['ends with a refusal', [null, [404, of('voucher-redeemed')]], 404],
    [
      'leaves open by a refused log-in',
      [null, [401, of('token-invalid')], [401, of('token-invalid')]],
      OPEN,
    ],
    ['leaves open by a suspension', [null, [403, of('account-suspended')]], OPEN],
    ['leaves open by an address', [[503], [403, of('address-not-registered')]], OPEN],
    ['waits for no hour', [null, [429, { 'Retry-After': '3600' }]], OPEN],
    ['ends at last', Array.from<Answer>({ length: 8 }).fill(null), OPEN],
  ])('%s', async (_title, answers, end) => {
    expect(await run(answers)).toEqual([end, answers.length]);
  });
});
