import { createSocket, type RemoteInfo } from 'node:dgram';
import { type AddressInfo, isIPv4 } from 'node:net';
import dnsPacket from 'dns-packet';

/** What the server says of a name: its addresses (of both kinds), that it is not there, or nothing. */
export type DnsReply =
  | {
      readonly addresses: readonly string[];
      readonly ttl?: number;
      readonly via?: string;
      readonly delayMs?: number;
      /** The kind of record that is not answered at all. */
      readonly silentOn?: 'A' | 'AAAA';
    }
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'silence';

const CODES = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/** A DNS server on loopback that answers as it is told; a name nobody told it of is not there. */
export async function startDnsServer() {
  const replies = new Map<string, DnsReply>();
  const questions: string[] = [];
  const socket = createSocket('udp4');

  const answersFor = (name: string, type: string, reply: DnsReply): dnsPacket.Answer[] => {
    if (typeof reply === 'string') return [];
    const { addresses, ttl = 60, via } = reply;
    const wanted = addresses.filter((address) => isIPv4(address) === (type === 'A'));
    const alias = via === undefined ? [] : [{ type: 'CNAME' as const, name, ttl, data: via }];
    const records = wanted.map((data) => ({
      type: type as 'A' | 'AAAA',
      name: via ?? name,
      ttl,
      data,
    }));
    return [...alias, ...records];
  };
  const answer = (message: Buffer, from: RemoteInfo) => {
    const query = dnsPacket.decode(message);
    const [question] = query.questions ?? [];
    if (!question) return;
    const name = question.name.toLowerCase();
    questions.push(`${question.type} ${name}`);
    const reply = replies.get(name) ?? 'NXDOMAIN';
    if (reply === 'silence') return;
    if (typeof reply !== 'string' && reply.silentOn === question.type) return;
    const code = typeof reply === 'string' ? CODES[reply] : 0;
    const packet = dnsPacket.encode({
      type: 'response',
      id: query.id ?? 0,
      flags: dnsPacket.RECURSION_DESIRED | dnsPacket.RECURSION_AVAILABLE | code,
      questions: [question],
      answers: answersFor(question.name, question.type, reply),
    });
    const delayMs = typeof reply === 'string' ? 0 : (reply.delayMs ?? 0);
    setTimeout(() => socket.send(packet, from.port, from.address), delayMs);
  };
  socket.on('message', answer);
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    /** As DNS_SERVERS names it. */
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    replies,
    questions,
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

export type DnsServer = Awaited<ReturnType<typeof startDnsServer>>;
