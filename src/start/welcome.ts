import type { DemoFile } from './demo-file.ts';
import { folderWords, quoted } from './pasted-words.ts';

/**
 * The message of a started stack: its addresses, a call to paste into a shell in this folder, and
 * next steps.
 */
export function welcome(demo: DemoFile, dataDirectory: string): string {
  const demoFile = `${dataDirectory}/demo.json`;
  // With real providers the sandbox has no address.
  const sandbox = demo.sandboxUrl
    ? [
        ['Sandbox', `${demo.sandboxUrl} (what phone numbers make the providers do)`],
        ['Sandbox phone', `${demo.sandboxUrl}/phone`],
        ['Sandbox mail', `${demo.sandboxUrl}/mailbox`],
        ['Sandbox books', `${demo.sandboxUrl}/books`],
      ]
    : [];
  const rows = [
    ['Partner API', demo.partner.baseUrl],
    ['Merchant API', demo.merchant.baseUrl],
    ['Portal', `${demo.partner.portalUrl} (sign in as ${demo.partner.portalEmail})`],
    ['Support', `${demo.staff.portalUrl} (sign in as ${demo.staff.portalEmail})`],
    ...sandbox,
    ['Temporal UI', demo.temporalUiUrl],
    ['Demo keys', `${demoFile} (with the passwords of the portal and of support)`],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`);
  const command = (words: string) => [...folderWords(dataDirectory), words].join(' ');
  return `
${table.join('\n')}

Log in as the demo partner:

  curl -s ${demo.partner.baseUrl}/auth/login -H 'Content-Type: application/json' \\
    -d "{\\"key\\": \\"$(grep -m 1 -o 'gvs_[A-Za-z0-9_]*' ${quoted(demoFile)})\\"}"

See vouchers and top-ups from beginning to end, in another terminal:

  ${command('npm run demo')}

Operate it, for example see its partners and their balances:

  ${command('npm run admin -- list partners')}

Stop everything with Ctrl-C.
`;
}
