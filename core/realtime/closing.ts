import { WebSocket } from 'ws';

/** Why a side is closed: a code of RFC 6455 §7.4.1, or undefined for none, and at most 123 bytes of text. */
export interface Closing {
  readonly code: number | undefined;
  readonly reason: string;
}

export const goingAway = 1001;
export const policyViolation = 1008;
export const internalError = 1011;

const noCode = 1005;
/** Codes that stand for a connection that broke, and may not be sent. */
const broken: ReadonlySet<number> = new Set([1006, 1015]);

const mostReasonBytes = 123;
const patienceMs = 5_000;

/** What the provider is told when its client has closed. */
export function ofClient(code: number, reason: string): Closing {
  if (broken.has(code)) return { code: goingAway, reason: 'The client is gone.' };
  return { code: code === noCode ? undefined : code, reason };
}

/** What the client is told when its provider has closed. */
export function ofProvider(code: number, reason: string): Closing {
  if (broken.has(code)) return { code: internalError, reason: 'The connection to the provider broke off.' };
  return { code: code === noCode ? undefined : code, reason };
}

export function isBroken(code: number): boolean {
  return broken.has(code);
}

/** Closes with what is still to be sent; whoever does not take it, or does not answer, is not waited for. */
export function closeSocket(socket: WebSocket, { code, reason }: Closing): void {
  if (socket.readyState === WebSocket.CLOSED) return;
  if (socket.readyState === WebSocket.OPEN) {
    if (code === undefined) socket.close();
    else socket.close(code, bounded(reason));
  }
  // The answer to the closing handshake is read, too.
  socket.resume();
  let waiting = socket.bufferedAmount;
  const timer = setInterval(() => {
    const left = socket.bufferedAmount;
    if (left === 0 || left >= waiting) socket.terminate();
    waiting = left;
  }, patienceMs).unref();
  socket.once('close', () => clearInterval(timer));
}

function bounded(reason: string): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= mostReasonBytes) return bytes;
  let end = mostReasonBytes;
  // Not within a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}
