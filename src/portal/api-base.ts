import type { AccountRequest } from './page.js';

/** The address below which a company's API is. */
export function apiBase({ services, session }: AccountRequest): string {
  const surface = session.company.kind === 'partner' ? 'client' : 'merchant/client';
  return `${services.settings.publicUrl}/api/v1/${surface}`;
}
