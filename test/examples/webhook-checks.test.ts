import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { randomWebhookSecret, webhookHeaders } from '../../src/crypto/webhook-secrets.ts';
import { codeBlocks } from '../docs/guides.ts';
import { vector, webhookGuide } from './guide-vector.ts';

/** A program of the guide; machines may lack an optional language even where CI runs. */
interface Language {
  readonly language: string;
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  readonly isOptional?: true;
}

describe.each<Language>([
  { language: 'sh', file: 'verify.sh', command: ['sh'] },
  // The `sh` of macOS.
  { language: 'sh', file: 'verify.sh', command: ['bash', '--posix'] },
  { language: 'python', file: 'verify.py', command: ['python3'] },
  { language: 'js', file: 'verify.mjs', command: [process.execPath] },
  { language: 'java', file: 'Verify.java', command: ['java'] },
  { language: 'php', file: 'verify.php', command: ['php'], isOptional: true },
  { language: 'csharp', file: 'Verify.cs', command: ['dotnet', 'run'], isOptional: true },
  { language: 'go', file: 'verify.go', command: ['go', 'run'] },
])('the check in $language', ({ language, file, command: [command, ...words], isOptional }) => {
  const program = `examples/webhooks/${file}`;
  const check = (message: typeof vector) => {
    const { id, timestamp, signatures, body, secret } = message;
    const { status, stderr, error } = spawnSync(
      command,
      [...words, program, id, timestamp, signatures],
      { input: body, encoding: 'utf8', env: { ...process.env, WEBHOOK_SECRET: secret } },
    );
    return { status, problem: (stderr ?? '').trim().split('\n')[0] ?? '', error };
  };

  it('is that of the guide', () => {
    const shown = codeBlocks(webhookGuide, language).map((code) => code.trimEnd().split('\n'));
    const lines = readFileSync(program, 'utf8')
      .split('\n')
      .map((line) => line.trim());
    const isIn = (code: readonly string[]) => code.every((line) => lines.includes(line.trim()));
    expect(shown.some(isIn), `${program} has not the lines of the guide`).toBe(true);
  });

  it('accepts ours, and says of others what is wrong with them', { timeout: 300_000 }, ({
    skip,
  }) => {
    const old = check(vector);
    const isMissing = (old.error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    if (isMissing && (isOptional || !process.env.CI))
      return skip(`${program} is not tried: its language is missing`);
    // Only a right signature comes to the look at the time.
    expect(old).toMatchObject({ status: 1, problem: 'The message is old, or a clock is wrong' });
    // A program that left the id, the time or the body out would refuse the right signature as well.
    expect(check({ ...vector, body: `${vector.body} ` })).toMatchObject({
      status: 1,
      problem: 'The signature is wrong',
    });
    // Shells evaluate what stands in the place of a number.
    const evil = check({ ...vector, timestamp: 'usage[$(echo evaluated >&2)0]' });
    expect(evil.status).not.toBe(0);
    expect(evil.problem).not.toBe('evaluated');
    const message = {
      id: 'evt_1',
      timestampSeconds: Math.floor(Date.now() / 1_000),
      body: '{"ብር":1}',
    };
    const both = webhookHeaders(message, [randomWebhookSecret(), vector.secret]);
    const sent = {
      id: message.id,
      timestamp: both['webhook-timestamp'] ?? '',
      body: message.body,
      signatures: both['webhook-signature'] ?? '',
      secret: vector.secret,
    };
    expect(check(sent)).toMatchObject({ status: 0 });
    // With an empty key anybody could sign.
    const forged = webhookHeaders(message, [''])['webhook-signature'] ?? '';
    for (const empty of ['', 'whsec_']) {
      const { status, problem } = check({ ...sent, signatures: forged, secret: empty });
      expect(status).not.toBe(0);
      expect(problem).toContain('usage: WEBHOOK_SECRET=whsec_…');
    }
  });
});
