import type { PublicDocument } from './public-documents.ts';

const DAY_MS = 86_400_000;
/** RFC 9116 advises less than a year; a process is started anew more often. */
const VALID_DAYS = 180;

/** Where weaknesses are reported (RFC 9116); nothing where the deployment names no contact. */
export const securityContact = (settings: {
  readonly contact: string | undefined;
  readonly publicUrl: string;
}): PublicDocument[] =>
  settings.contact === undefined
    ? []
    : [
        {
          path: '/.well-known/security.txt',
          type: 'text/plain; charset=utf-8',
          body: () =>
            [
              `Contact: ${settings.contact}`,
              `Expires: ${new Date(Date.now() + VALID_DAYS * DAY_MS).toISOString()}`,
              'Preferred-Languages: en',
              `Canonical: ${settings.publicUrl}/.well-known/security.txt`,
              '',
            ].join('\n'),
        },
      ];
