import { codeBlocks, guide } from '../docs/guides.ts';

/** The guide to webhooks. */
export const webhookGuide = guide('receive-webhooks.md');

/** The message of the guide, as it came, and its secret. */
function vectorOfGuide() {
  const [message = ''] = codeBlocks(webhookGuide, 'http');
  const [head = '', body = ''] = message.trimEnd().split('\n\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? '';
  return {
    id: header('webhook-id'),
    timestamp: header('webhook-timestamp'),
    signatures: header('webhook-signature'),
    body,
    secret: (codeBlocks(webhookGuide, 'text')[0] ?? '').trim(),
  };
}

export const vector = vectorOfGuide();
