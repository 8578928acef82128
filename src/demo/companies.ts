import { sign } from 'node:crypto';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import type { DemoFile } from '../start/demo-file.js';
import { createCaller, type DemoCaller } from './caller.js';
import type { Transcript } from './transcript.js';

/** Logs the demo partner in; its further calls carry the token. */
export async function logPartnerIn(
  demo: DemoFile,
  transcript: Transcript,
): Promise<{ readonly partner: DemoCaller; readonly partnerId: string }> {
  const token = await logIn('The partner logs in with its API key.', demo.partner, transcript);
  return {
    partner: createCaller(transcript, demo.partner.baseUrl, () => ({ 'x-api-token': token })),
    partnerId: String(decodeJwt(token).sub),
  };
}

/** Logs the demo merchant in; its further calls carry the token, and every body is signed. */
export async function logMerchantIn(demo: DemoFile, transcript: Transcript): Promise<DemoCaller> {
  const token = await logIn('The merchant logs in with its API key.', demo.merchant, transcript);
  return createCaller(transcript, demo.merchant.baseUrl, (body) => ({
    'x-api-token': token,
    ...(body === '' ? {} : { 'x-signature': signatureOf(body, demo.merchant.privateKeyPem) }),
  }));
}

async function logIn(
  title: string,
  access: DemoFile['partner'] | DemoFile['merchant'],
  transcript: Transcript,
): Promise<string> {
  const { accessToken } = await createCaller(
    transcript,
    access.baseUrl,
  )({
    title,
    path: '/auth/login',
    body: { key: access.apiKey },
    answer: z.object({ accessToken: z.string() }),
  });
  return accessToken;
}

/** ECDSA over body, line feed and message: DER in base64, `\n` in two characters, the message. */
function signatureOf(body: string, privateKeyPem: string): string {
  const message = new Date().toISOString();
  const signature = sign('sha256', Buffer.from(`${body}\n${message}`), privateKeyPem);
  return `${signature.toString('base64')}\\n${message}`;
}
