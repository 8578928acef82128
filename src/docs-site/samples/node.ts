import { bodyText, fixedHeaders, indented, type SampleCall } from './sample-call.ts';

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, '\\$&')}'`;

/** A call by Node.js; `token` is the access token, and `private-key.pem` the merchant's key. */
export function nodeSample(call: SampleCall): string {
  const { method, url, needsToken, isSigned, body } = call;
  const json = `JSON.stringify(${indented(bodyText(call), isSigned ? '' : '  ')})`;
  const headers = [
    ...(needsToken ? ["'x-api-token': token"] : []),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the sample
    ...(isSigned ? ["'x-signature': `${signature}\\\\n${message}`"] : []),
    ...fixedHeaders(call).map(([name, value]) => `${quoted(name)}: ${quoted(value)}`),
  ].map((header) => `\n    ${header},`);
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: {${headers.join('')}\n  }`] : []),
    ...(body === undefined ? [] : [isSigned ? 'body' : `body: ${json}`]),
  ].map((option) => `\n  ${option},`);
  const program = `const response = await fetch(${quoted(url)}, {${options.join('')}\n});
console.log(await response.json());`;
  return isSigned ? signed(body === undefined ? "''" : json) + program : program;
}

const signed = (body: string): string => `import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

const body = ${body};
const message = new Date().toISOString();
const signature = sign(
  'sha256',
  Buffer.from(\`\${body}\\n\${message}\`),
  readFileSync('private-key.pem'),
).toString('base64');
`;
