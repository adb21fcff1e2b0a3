import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';

export interface NameServer {
  /** A resolver that asks this server and nobody else. */
  resolver(): Resolver;
  close(): void;
}

/** A DNS server on this machine (RFC 1035): knows the address of some names, is silent about others, and denies the rest. */
export async function startNameServer(known: readonly string[], silent: readonly string[] = []): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const name = nameIn(query);
    if (silent.includes(name)) return;
    const asksForIpv4 = query.readUInt16BE(12 + name.length + 2) === 1;
    socket.send(answer(query, 12 + name.length + 6, known.includes(name), asksForIpv4), port, address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return {
    resolver: () => {
      const resolver = new Resolver({ timeout: 200, tries: 1 });
      resolver.setServers([`127.0.0.1:${socket.address().port}`]);
      return resolver;
    },
    close: () => socket.close(),
  };
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at] !== 0; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('latin1', at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join('.').toLowerCase();
}

function answer(query: Buffer, questionEnd: number, exists: boolean, ipv4: boolean): Buffer {
  const reply = Buffer.from(query.subarray(0, questionEnd));
  const answered = exists && ipv4;
  reply.writeUInt16BE(exists ? 0x8180 : 0x8183, 2);
  reply.writeUInt16BE(1, 4);
  reply.writeUInt16BE(answered ? 1 : 0, 6);
  reply.writeUInt32BE(0, 8);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  return answered ? Buffer.concat([reply, record]) : reply;
}
