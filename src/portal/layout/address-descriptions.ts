import { readAllowlistEntry } from '../../http/access/allowlist-entries.ts';

type ReadAddress =
  | { readonly ok: true; readonly address: string }
  | { readonly ok: false; readonly problem: string };

const problem = (text: string): ReadAddress => ({ ok: false, problem: text });

/** Reads the address of a server as people type it, or describes what is wrong with it. */
export function readRegisteredAddress(text: string): ReadAddress {
  const written = text.trim().toLowerCase();
  if (written === '') return problem('Enter an address.');
  if (/^https?:/.test(written))
    return problem('Enter the address alone, without “https://” and without a path.');
  if (/^\d+(\.\d+){3}:\d+$/.test(written))
    return problem('Omit the port: calls may come from any port.');
  const read = readAllowlistEntry(written, 'company');
  if (read.ok) return { ok: true, address: read.entry };
  return problem(
    read.problem === 'unreadable'
      ? HOW_TO_WRITE
      : `This range is too wide: register one of at least /${read.leastBits}, or ask support.`,
  );
}

const HOW_TO_WRITE =
  'This address cannot be registered. Write IPv4 as 203.0.113.7, IPv6 as 2001:db8::7, a ' +
  'range with its prefix, such as 203.0.113.0/28, and a name in full, such as api.shop.example.';
