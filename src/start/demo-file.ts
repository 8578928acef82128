import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoAccess } from './demo-data.ts';

/** The addresses of a started stack. */
export interface StackAddresses {
  readonly api: string;
  readonly sandboxUrl: string;
  readonly temporalUiUrl: string;
  readonly temporalAddress: string;
}

/** The account of a person, with the address of its pages. */
interface PersonAccess {
  readonly portalUrl: string;
  readonly portalEmail: string;
  readonly portalPassword: string;
}

interface CompanyAccess extends PersonAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** `.data/demo.json` (design 2): all data that a tester or the demo needs. */
export interface DemoFile {
  readonly partner: CompanyAccess;
  readonly merchant: CompanyAccess & {
    readonly privateKeyPem: string;
    readonly merchantId: number;
  };
  /** A person of the service, at `/support`. */
  readonly staff: PersonAccess;
  readonly sandboxUrl: string;
  readonly temporalUiUrl: string;
  readonly temporalAddress: string;
}

const fileIn = (dataDirectory: string) => join(dataDirectory, 'demo.json');

/** The demo file of an earlier start; undefined where there is none. */
export async function readDemoFile(dataDirectory: string): Promise<DemoFile | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDirectory), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the demo file with the addresses of this start, readable only by its owner. */
export async function writeDemoFile(
  dataDirectory: string,
  access: DemoAccess | DemoFile,
  addresses: StackAddresses,
): Promise<DemoFile> {
  const file = demoFile(access, addresses);
  await writeFile(fileIn(dataDirectory), `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  return file;
}

function demoFile(access: DemoAccess | DemoFile, addresses: StackAddresses): DemoFile {
  const { partner, merchant } = access;
  const staff = 'staff' in access ? access.staff : {};
  const person = (known: object, email: string, path: string) => ({
    portalUrl: addresses.api + path,
    portalEmail: email,
    portalPassword:
      'portalPassword' in known
        ? String(known.portalPassword)
        : randomBytes(12).toString('base64url'),
  });
  const portal = (company: object, email: string) => person(company, email, '/portal');
  return {
    partner: {
      baseUrl: `${addresses.api}/api/v1/client`,
      apiKey: partner.apiKey,
      ...portal(partner, 'partner@demo.test'),
    },
    merchant: {
      baseUrl: `${addresses.api}/api/v1/merchant/client`,
      apiKey: merchant.apiKey,
      privateKeyPem: merchant.privateKeyPem,
      merchantId: 'merchantId' in merchant ? merchant.merchantId : merchant.id,
      ...portal(merchant, 'merchant@demo.test'),
    },
    staff: person(staff, 'staff@demo.test', '/support'),
    sandboxUrl: addresses.sandboxUrl,
    temporalUiUrl: addresses.temporalUiUrl,
    temporalAddress: addresses.temporalAddress,
  };
}
