import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { presentableMessage } from '../domain/providers.ts';
import type { ProviderOutcome } from './outcome.ts';

export interface Email {
  /**
   * The left half of its Message-ID (RFC 5322, 3.6.4): letters, digits and hyphens. It is constant
   * for repetitions, so that mailboxes can recognise them.
   */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  readonly attachments?: readonly EmailAttachment[];
}

/** A file of text, in UTF-8. */
export interface EmailAttachment {
  /** ASCII, without spaces. */
  readonly name: string;
  readonly type: 'text/csv' | 'text/html';
  readonly content: string;
}

/** Port: hands one e-mail to a server. Never throws for the server's answer or timeout. */
export interface EmailSender {
  send(email: Email): Promise<ProviderOutcome>;
}

interface SmtpSettings {
  /** smtp:// encrypts with STARTTLS, unless it ends in ?tls=off; smtps:// from the beginning. */
  readonly url: string;
  /** `name@host`, or `Name <name@host>`. */
  readonly from: string;
  readonly timeoutSeconds: number;
}

interface Prepared {
  readonly envelope: { readonly from: string; readonly to: string };
  readonly message: Buffer;
  readonly messageId: string;
}

/**
 * E-mail over SMTP (RFC 5321), one connection per message. Delivered means accepted by the server.
 */
export function createSmtp(settings: SmtpSettings): EmailSender {
  const url = new URL(settings.url);
  return {
    async send(email) {
      const prepared = await prepare(email, settings.from);
      return sendOnce(prepared, url, settings.timeoutSeconds * 1_000);
    },
  };
}

async function prepare(
  { id, to, subject, text, attachments = [] }: Email,
  from: string,
): Promise<Prepared> {
  const files = attachments.map(({ name, type, content }) => ({
    filename: name,
    contentType: `${type}; charset=utf-8`,
    content,
  }));
  const node = new MailComposer({ from, to, subject, text, attachments: files }).compile();
  const sender = node.getEnvelope().from || from;
  const messageId = `<${id}@${sender.split('@').at(-1)}>`;
  node.setHeader('Message-ID', messageId);
  return { envelope: { from: sender, to }, message: await node.build(), messageId };
}

const connectionTo = (url: URL, timeoutMs: number) =>
  new SMTPConnection({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (url.protocol === 'smtps:' ? 465 : 587)),
    secure: url.protocol === 'smtps:',
    ...(url.searchParams.get('tls') === 'off' ? { ignoreTLS: true } : { requireTLS: true }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });

/** The message is transmitted only after the log-in; a failure before that was not sent. */
function sendOnce(prepared: Prepared, url: URL, timeoutMs: number): Promise<ProviderOutcome> {
  const connection = connectionTo(url, timeoutMs);
  let isSending = false;
  return new Promise<ProviderOutcome>((resolve) => {
    const fail = (error: unknown) => resolve(outcomeOf(error, isSending));
    const deadline = setTimeout(() => {
      fail(new Error('no answer in time'));
      connection.close();
    }, timeoutMs);
    deadline.unref();
    // The connection may fail again during the close, which is not awaited.
    connection.on('error', fail);
    connection.once('end', () => {
      clearTimeout(deadline);
      fail(new Error('the connection was closed'));
    });
    const transmit = () => {
      isSending = true;
      connection.send(prepared.envelope, prepared.message, (error) => {
        if (error) fail(error);
        else resolve({ kind: 'delivered', providerReference: prepared.messageId });
        connection.quit();
      });
    };
    connection.connect((error) => {
      if (error) return fail(error);
      if (url.username === '') return transmit();
      const [user, pass] = [url.username, url.password].map(decodeURIComponent);
      connection.login({ user, pass }, (refusal) => {
        if (refusal === null || refusal === undefined) return transmit();
        fail(refusal);
        connection.quit();
      });
    });
  });
}

/**
 * Replies of 5xx refuse permanently and of 4xx temporarily (RFC 5321, 4.2.1); neither accepted the
 * message.
 */
function outcomeOf(error: unknown, isSending: boolean): ProviderOutcome {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  const words = presentableMessage(
    responseCode === undefined
      ? `The connection to the mail server failed (${code ?? (error as Error).message}).`
      : `The mail server answered ${responseCode}.`,
  );
  if (!isSending) return { kind: 'not-sent', message: words };
  if (responseCode === undefined || responseCode < 400) return { kind: 'unknown', message: words };
  return responseCode >= 500
    ? { kind: 'refused', code: String(responseCode), message: words, retryCanHelp: false }
    : { kind: 'not-sent', message: words };
}
