import { createHash, randomFillSync } from 'node:crypto';

/** What a caller says about the trace that its request belongs to (W3C Trace Context). */
export interface CallersTrace {
  /** 32 hex digits, not all zero. */
  readonly traceId: string;
  /** 16 hex digits, not all zero. */
  readonly parentSpanId: string;
  readonly sampled: boolean;
  /** What other systems keep there, to be passed on as it is; undefined: nothing that is well formed. */
  readonly state: string | undefined;
}

const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The trace of `traceparent`; undefined: there is none, or it is not well formed, which the standard says to ignore. */
export function readTraceContext(headers: Readonly<Record<string, string>>): CallersTrace | undefined {
  const given = headers.traceparent;
  if (given === undefined) return undefined;
  const [, version, traceId = '', parentSpanId = '', flags = '', more] = traceparent.exec(given.trim()) ?? [];
  // Later versions may say more; this one may not.
  if (version === undefined || (version === '00' && more !== undefined)) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, parentSpanId, sampled, state: stateOf(headers.tracestate) };
}

const mostMembers = 32;
const memberKey = /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/;
const memberValue = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** One member at fault, or one that stands there twice, and the whole list is no list. */
function stateOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const members = given.split(',').map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''));
  const kept = members.filter((member) => member !== '');
  if (kept.length === 0 || kept.length > mostMembers) return undefined;
  const keys = new Set<string>();
  for (const member of kept) {
    const equals = member.indexOf('=');
    const key = member.slice(0, Math.max(0, equals));
    if (!memberKey.test(key) || !memberValue.test(member.slice(equals + 1)) || keys.has(key)) return undefined;
    keys.add(key);
  }
  return kept.join(',');
}

const spanDigits = 16;
const noSpan = '0'.repeat(spanDigits);
const randomness = Buffer.alloc(4096);
let digits = '';
let used = 0;

/** 16 hex digits, not all zero. Randomness is fetched for many at once. */
export function newSpanId(): string {
  if (used >= digits.length) {
    digits = randomFillSync(randomness).toString('hex');
    used = 0;
  }
  const id = digits.slice(used, used + spanDigits);
  used += spanDigits;
  return id === noSpan ? newSpanId() : id;
}

/** The id of a span as a caller gives it; undefined: it is no id of the standard, and the request gets one of its own. */
export function givenSpanId(text: string | undefined): string | undefined {
  return text !== undefined && /^(?!0{16})[0-9a-f]{16}$/i.test(text) ? text.toLowerCase() : undefined;
}

/**
 * The trace as the standard writes it, 32 hex digits: of 32 hex digits or of a UUID the digits themselves, of any other text
 * the first half of its SHA-256. Plugins that export traces go by the same rule.
 */
export function w3cTraceId(traceId: string): string {
  const plain = uuid.test(traceId) ? traceId.replaceAll('-', '').toLowerCase() : traceId.toLowerCase();
  if (/^(?!0{32})[0-9a-f]{32}$/.test(plain)) return plain;
  return createHash('sha256').update(traceId).digest('hex').slice(0, 32);
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** `traceparent` for what is called on behalf of a request: the request's span is its parent. */
export function traceparentOf(trace: {
  /** Any text. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}): string {
  return `00-${w3cTraceId(trace.traceId)}-${trace.spanId}-${trace.sampled ? '01' : '00'}`;
}
