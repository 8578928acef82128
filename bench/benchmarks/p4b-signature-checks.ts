import { generateKeyPairSync, sign } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parsePublicKey } from '../../src/http/signature/public-key.ts';
import { verifySignature } from '../../src/http/signature/verify-signature.ts';
import type { Bench, Benchmark, PaceMeasurement } from '../benchmark.ts';

const LEAST_PACE = 1_500;
const REQUESTS = 500;
/** The compiler has settled then. */
const WARM_UP_SECONDS = 0.5;

/** What the merchant's signature is over. */
type Coverage = 'body and message' | 'body alone';

type SignedRequest = Parameters<typeof verifySignature>[0];

/**
 * P4b: signature checks alone, with the key parsed, on one core. The body alone is checked second,
 * and so takes two verifications.
 */
export const signatureChecksBenchmark: Benchmark = {
  name: 'P4b',
  async run(bench) {
    const both = await measure(bench, 'body and message');
    const alone = await measure(bench, 'body alone');
    return [{ ...both, leastPace: LEAST_PACE }, alone];
  },
};

const measure = (bench: Bench, coverage: Coverage): Promise<PaceMeasurement> =>
  bench.progress.step(`P4b signature checks, ${coverage}`, async (note) => {
    const { rounds, seconds } = bench.options;
    const requests = signedRequests(coverage);
    paceOf(requests, WARM_UP_SECONDS);
    const paces: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      note(`round ${round} of ${rounds}`);
      await nextTurn();
      bench.signal.throwIfAborted();
      paces.push(paceOf(requests, seconds));
    }
    return { title: `signature checks on one core, ${coverage}`, paces };
  });

/** Checks per second of processor time, so that what else the machine does counts less. */
function paceOf(requests: readonly SignedRequest[], seconds: number): number {
  const before = process.cpuUsage();
  const end = performance.now() + seconds * 1_000;
  let checks = 0;
  while (performance.now() < end) {
    const request = requests[checks % requests.length];
    if (!request || !verifySignature(request).ok) throw new Error('A right signature was refused');
    checks += 1;
  }
  const { user, system } = process.cpuUsage(before);
  return (checks * 1_000_000) / (user + system);
}

function signedRequests(coverage: Coverage): SignedRequest[] {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const publicKeys = [parsePublicKey(pem)];
  const now = Date.now();
  const message = new Date(now).toISOString();
  return Array.from({ length: REQUESTS }, (_, index) => {
    const body = Buffer.from(
      JSON.stringify({ voucherCode: 'ABCD-EFGH-JKMN-PQRS', idempotencyKey: `claim-${index}` }),
    );
    const signed =
      coverage === 'body alone' ? body : Buffer.concat([body, Buffer.from(`\n${message}`)]);
    const signature = sign('sha256', signed, privateKey).toString('base64');
    return { header: `${signature}\\n${message}`, body, publicKeys, now };
  });
}
