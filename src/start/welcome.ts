import type { DemoFile } from './demo-file.js';

/** What a started stack tells the person who started it. */
export function welcome(demo: DemoFile, dataDirectory: string): string {
  const rows = [
    ['Partner API', demo.partner.baseUrl],
    ['Merchant API', demo.merchant.baseUrl],
    ['Sandbox phone', `${demo.sandboxUrl}/phone`],
    ['Sandbox books', `${demo.sandboxUrl}/books`],
    ['Temporal UI', demo.temporalUiUrl],
    ['Demo keys', `${dataDirectory}/demo.json`],
  ];
  const width = Math.max(...rows.map(([name = '']) => name.length));
  const table = rows.map(([name = '', value = '']) => `  ${name.padEnd(width)}  ${value}`);
  return `
${table.join('\n')}

Log in as the demo partner:

  curl -s ${demo.partner.baseUrl}/auth/login -H 'Content-Type: application/json' \\
    -d "{\\"key\\": \\"$(node -p "require('./${dataDirectory}/demo.json').partner.apiKey")\\"}"

See the whole story, from a voucher to its redemption, in another terminal:  npm run demo
Stop everything with Ctrl-C.
`;
}
