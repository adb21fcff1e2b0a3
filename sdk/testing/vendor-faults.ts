import type { ServerResponse } from 'node:http';

/** The ways in which a vendor fails that a replay plays through. */
export const vendorFaults = [
  'status-500',
  'status-429',
  'no-reply',
  'slow-reply',
  'empty-body',
  'no-json',
  'json-array',
  'other-shape',
  'huge-body',
  'reset',
] as const;
export type VendorFault = (typeof vendorFaults)[number];

const answered: Readonly<Partial<Record<VendorFault, readonly [status: number, body: string]>>> = {
  'status-500': [500, '{"error":"internal"}'],
  'status-429': [429, '{"error":"too many requests"}'],
  'empty-body': [200, ''],
  'no-json': [200, '<html>maintenance</html>'],
  'json-array': [200, '[]'],
  'other-shape': [200, '{"unexpected":{"shape":[1]}}'],
};

/** Fails in one way. `timeUp` ends the check's time: nobody waits for a reply that does not come. */
export function failReply(reply: ServerResponse, fault: VendorFault, timeUp: () => void): void {
  const [status, body] = answered[fault] ?? [200, '{"'];
  if (fault === 'reset') reply.socket?.resetAndDestroy();
  else if (fault === 'no-reply') timeUp();
  else {
    reply.writeHead(status, { 'content-type': 'application/json' });
    if (fault === 'huge-body') pour(reply);
    else if (fault === 'slow-reply') reply.write(body, timeUp);
    else reply.end(body);
  }
}

const spaces = Buffer.alloc(65_536, ' ');

/** Valid JSON that never ends: until the reader leaves. */
function pour(reply: ServerResponse): void {
  if (reply.destroyed) return;
  if (reply.write(spaces)) setImmediate(pour, reply);
  else reply.once('drain', () => pour(reply));
}
