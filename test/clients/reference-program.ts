import { codeBlocks } from '../docs/guides.ts';
import type { ClientScene } from './client-scene.ts';

/** The program on the page of an endpoint in one language, such as `partner/read-balances`, with the scene's address. */
export async function referenceProgram(
  { stack }: ClientScene,
  page: string,
  language: string,
): Promise<string> {
  const text = await (await fetch(`${stack.url}/docs/reference/${page}.md`)).text();
  const [program = ''] = codeBlocks(text, language);
  return program.replaceAll(stack.api.services.settings.http.publicUrl, stack.url);
}

/** An access token for the API of a page. */
export const tokenFor = (scene: ClientScene, page: string): Promise<string> =>
  (page.startsWith('partner/') ? scene.partnerClient() : scene.merchantClient()).accessToken();

/** Pages of calls without a body, with one and with a signature, and a word of what each call is answered. */
export const referencePages = [
  ['partner/read-balances', 'walletBalance'],
  ['partner/generate-voucher', 'statusCode'],
  // The example's voucher is not there: log-in, signature and body were accepted.
  ['merchant/redeem-voucher', '4041'],
] as const;
