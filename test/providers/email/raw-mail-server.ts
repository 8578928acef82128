import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The steps of SMTP at which a test may have the server do what it wants. */
export type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'message';

/** What a server does at one step: a reply, an end without one, or nothing at all. */
export type Oddity = string | 'dropped' | 'silent';

const usual: Readonly<Record<Step, string>> = {
  greeting: '220 mail.example ESMTP',
  EHLO: '250-mail.example\r\n250 AUTH PLAIN',
  AUTH: '235 Welcome',
  MAIL: '250 Fine',
  RCPT: '250 Fine',
  DATA: '354 Go on',
  message: '250 Taken',
};

/** A mail server that does as it should at every step but those that are named. */
export async function startRawMailServer(oddities: Partial<Record<Step, Oddity>>) {
  const sockets = new Set<Socket>();
  const steps: Step[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    let isMessage = false;
    let unread = '';
    const come = (step: Step) => {
      steps.push(step);
      const reply = oddities[step] ?? usual[step];
      if (reply === 'silent') return;
      if (reply === 'dropped') socket.destroy();
      else socket.write(`${reply}\r\n`);
      isMessage = step === 'DATA' && reply.startsWith('354');
    };
    const read = (line: string) => {
      const command = line.slice(0, 4).toUpperCase();
      if (isMessage) {
        if (line === '.') come('message');
      } else if (command === 'QUIT') socket.end('221 Bye\r\n');
      else if (command in usual) come(command as Step);
    };
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (unread + text).split('\r\n');
      unread = lines.pop() ?? '';
      for (const line of lines) read(line);
    });
    come('greeting');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}?tls=off`,
    steps,
    async close() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
