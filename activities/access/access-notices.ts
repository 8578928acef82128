import { log } from '@temporalio/activity';
import {
  type AccessNotice,
  readAccessNotice,
  settleAccessNotice,
} from '../../src/db/access/access-notices.ts';
import {
  accessChangeOf,
  actorName,
  changedSubject,
} from '../../src/domain/access/access-changes.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { withHeartbeat } from '../provider-call.ts';

/** The end of the e-mails about a change. */
export interface NoticeSent {
  readonly recipients: number;
}

export function createAccessNoticeActivities(dependencies: ActivityDependencies) {
  const { database, emailSender, publicUrl } = dependencies;

  /**
   * Tells the owners of a company, and the person concerned, that its access was changed. E-mails
   * that were interrupted are sent again under the same Message-ID.
   *
   * @throws where an e-mail was not sent
   */
  async function sendAccessNotice(auditId: number): Promise<NoticeSent> {
    const notice = await readAccessNotice(database, auditId);
    if (!notice) return { recipients: 0 };
    for (const { id, email, timeZone } of notice.recipients) {
      const outcome = await withHeartbeat(() =>
        emailSender.send({
          id: `access-${auditId}-${id}`,
          to: email,
          subject: `Access of ${notice.companyName} was changed`,
          text: noticeText(notice, { timeZone, publicUrl }),
        }),
      );
      if (outcome.kind === 'refused')
        log.warn('An e-mail about changed access was refused', { auditId, accountId: id });
      else if (outcome.kind !== 'delivered')
        throw new Error(`The e-mail was not sent: ${outcome.kind}`);
    }
    await settleAccessNotice(database, auditId);
    return { recipients: notice.recipients.length };
  }

  return { sendAccessNotice };
}

function noticeText(
  { at, actor, action, details, companyName }: AccessNotice,
  { timeZone, publicUrl }: { readonly timeZone: string; readonly publicUrl: string },
): string {
  const change = accessChangeOf(action);
  const what = change ? [change.text, changedSubject(change, details)].join(' ').trim() : action;
  const from = typeof details.sourceAddress === 'string' ? details.sourceAddress : undefined;
  // Sweden writes times as ISO 8601 does.
  const when = at.toLocaleString('sv-SE', {
    timeZone,
    timeZoneName: 'short',
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
    ...({ hour: '2-digit', minute: '2-digit', second: '2-digit' } as const),
  });
  return `The access of ${companyName} to the voucher service was changed.

What: ${what}
Who:  ${actorName(actor)}
When: ${when}
${from === undefined ? '' : `From: ${from}\n`}
If nobody of you did this, sign in, undo it, change your password, and contact us at once:

${publicUrl}/portal/activity

You get this e-mail because you own the company's account, or because it concerns your own.
`;
}
