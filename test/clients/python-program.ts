import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientScene } from './client-scene.ts';

const run = promisify(execFile);

/** What every program begins with: clients of the scene, whose pauses a test does not wait for. */
const PRELUDE = `
import json, os, traceback
from voucher_topup import (
    ApiError, MerchantClient, NoAnswerError, OpenRequestError, PartnerClient,
)

GIVEN = json.loads(os.environ["GIVEN"])

def partner_client(**settings):
    settings = {"first_pause_seconds": 0.02, **settings}
    return PartnerClient(GIVEN["partnerUrl"], GIVEN["partnerKey"], **settings)

def merchant_client(**settings):
    settings = {"first_pause_seconds": 0.02, **settings}
    return MerchantClient(
        GIVEN["merchantUrl"], GIVEN["merchantKey"], GIVEN["privateKey"], **settings
    )

def failure_of(call):
    try:
        call()
    except (ApiError, NoAnswerError, OpenRequestError, ValueError) as error:
        return error
    raise AssertionError("The call succeeded")

SALE = {"exchangeRate": 57.2, "currency": "USD", "originatingCountry": "US"}
AIRTIME = {"amount": 5, "msisdn": "+251911000000", **SALE}
`;

/** A Python of its own with the package, as an integrator installs it. */
export async function installPythonClient(scene: ClientScene) {
  const folder = await mkdtemp(join(tmpdir(), 'python-client-'));
  const python = join(folder, 'bin', 'python');
  await run('python3', ['-m', 'venv', folder]);
  const quiet = ['--quiet', '--disable-pip-version-check'];
  const archive = `${scene.stack.url}/docs/downloads/voucher_topup-1.0.0.tar.gz`;
  await run(python, ['-m', 'pip', 'install', ...quiet, archive]);
  const { partner, merchant, proxy } = scene;
  const given = {
    partnerUrl: `${proxy.url}/api/v1/client`,
    merchantUrl: `${proxy.url}/api/v1/merchant/client`,
    partnerKey: partner.apiKey,
    merchantKey: merchant.apiKey,
    privateKey: merchant.privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
  };
  const outputOf = async (program: string, env: Readonly<Record<string, string>> = {}) => {
    const options = { cwd: folder, env: { ...process.env, ...env } };
    return (await run(python, ['-W', 'error', '-c', program], options)).stdout;
  };
  return {
    folder,
    outputOf,
    /** Runs a program after the prelude; returns the JSON that it prints in its last line. */
    async resultOf(program: string, more: object = {}) {
      const env = { GIVEN: JSON.stringify({ ...given, ...more }) };
      return JSON.parse((await outputOf(PRELUDE + program, env)).trim().split('\n').at(-1) ?? '');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

export type PythonClient = Awaited<ReturnType<typeof installPythonClient>>;
