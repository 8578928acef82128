import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer as readAll } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Books } from './books.ts';

/** The prefix of an address before the @, and the behaviour of the server. */
export const mailBehaviours = [
  { prefix: 'refused', meaning: 'refused for good (550); not received' },
  { prefix: 'busy', meaning: 'refused for now (451); not received' },
  { prefix: 'dropped', meaning: 'received, and the connection ends without an answer' },
] as const;

const MAXIMUM_BYTES = 1024 * 1024;

export interface MailServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts an SMTP server that accepts mail for every address from every sender: any user and
 * password, or none. It does not encrypt. Rejects where the port is taken (EADDRINUSE).
 */
export async function startMailServer(
  books: Books,
  { port, host }: { readonly port: number; readonly host: string },
): Promise<MailServer> {
  const server = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    size: MAXIMUM_BYTES,
    logger: false,
    onAuth: (auth, _session, callback) => callback(null, { user: auth.username ?? 'anybody' }),
    onRcptTo: ({ address }, _session, callback) => callback(refusalOf(address)),
    onData(stream, session, callback) {
      receive(books, stream, session).then(
        (isDropped) => (isDropped ? dropConnections(server, session) : callback()),
        callback,
      );
    },
  });
  // A client that disconnects is no error of the sandbox.
  server.on('error', () => {});
  const listening = server.listen(port, host);
  await once(listening, 'listening');
  return {
    port: (listening.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const startsWith = (address: string, prefix: string) => address.toLowerCase().startsWith(prefix);

function refusalOf(address: string): Error | null {
  if (startsWith(address, 'refused')) return smtpError(550, 'There is no such mailbox here');
  if (startsWith(address, 'busy')) return smtpError(451, 'Try again later');
  return null;
}

const smtpError = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode });

/**
 * Puts a message into the mailbox of each recipient; returns whether the connection then breaks.
 */
async function receive(
  books: Books,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
): Promise<boolean> {
  const content = await readAll(stream);
  if (stream.sizeExceeded) throw smtpError(552, 'The message is too large');
  const parsed = await PostalMime.parse(content, {
    attachmentEncoding: 'arraybuffer',
  });
  const recipients = session.envelope.rcptTo.map(({ address }) => address);
  for (const to of recipients) {
    books.receiveMail({
      to,
      messageId: parsed.messageId ?? '',
      from: parsed.from?.address ?? '',
      subject: parsed.subject ?? '',
      text: (parsed.text ?? '').trim(),
      attachments: parsed.attachments.map(({ filename, mimeType, content }) => ({
        name: filename ?? '',
        type: mimeType,
        // Not by PostalMime, which drops a byte order mark.
        content: Buffer.from(content as ArrayBuffer).toString('utf8'),
      })),
    });
  }
  return recipients.some((address) => startsWith(address, 'dropped'));
}

function dropConnections(server: SMTPServer, { id }: SMTPServerSession): void {
  for (const connection of server.connections)
    if (connection.session?.id === id) connection._socket.destroy();
}
