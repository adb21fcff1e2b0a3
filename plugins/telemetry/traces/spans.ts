import { type Attributes, createTraceState, SpanKind, SpanStatusCode, type TraceState } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { type Attempt, type ErrorCode, errorCodes, type RequestRecord, type Timings } from 'portcullis/sdk';
import { errorType, requestAttributes, spanNameOf } from './attributes.ts';
import { childSpanId, isSpanId, w3cTraceId } from './ids.ts';
import { providerName } from './provider-names.ts';
import { fittingState } from './trace-state.ts';

/** Stages shorter than this are told by the length of the request's span alone. */
const shortestStageMs = 1;

/** A piece of a request. Moments are epoch milliseconds with fractions. */
interface Piece {
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

/**
 * The spans of one finished request, the request's own first: the calls of providers, the stages that took a millisecond or
 * more, and what plugins have added are its children. Records hold the lengths of stages, not their moments: they are laid out
 * in their order.
 */
export function spansOf(record: RequestRecord, resource: Resource): readonly ReadableSpan[] {
  const { parentSpanId, spanId, callersTrace } = record;
  // Whatever the trace is called besides, it is there that the caller's span and those of providers stand.
  const traceId = callersTrace?.traceId ?? w3cTraceId(record.traceId);
  const parent = parentSpanId !== undefined && isSpanId(parentSpanId) ? parentSpanId : undefined;
  const state = callersTrace?.state === undefined ? undefined : createTraceState(fittingState(callersTrace.state));
  const root: Piece = {
    name: spanNameOf(record),
    kind: SpanKind.SERVER,
    startedAt: record.startedAt,
    durationMs: record.durationMs,
    attributes: {
      ...requestAttributes(record),
      // Whatever a caller calls its span: it is no parent where only hex digits are one.
      ...(parentSpanId === undefined || parent !== undefined ? {} : { 'portcullis.parent_span.id': parentSpanId }),
    },
    failed: record.status >= 500 || brokeOff(record),
  };
  return [
    readable(root, { traceId, state, spanId, parent, isRemote: true }, resource),
    ...piecesOf(record).map((piece, index) =>
      readable(
        piece,
        { traceId, state, spanId: childSpanId(spanId, index + 1), parent: spanId, isRemote: false },
        resource,
      ),
    ),
  ];
}

/** What goes wrong after a reply has begun is told by the error alone; a guardrail that cuts one off is no fault. */
function brokeOff({ error, status }: Pick<Attempt, 'error' | 'status'> | RequestRecord): boolean {
  if (status >= 400 || error === undefined || !Object.hasOwn(errorCodes, error)) return false;
  return errorCodes[error as ErrorCode].status >= 500;
}

function piecesOf(record: RequestRecord): readonly Piece[] {
  const { timings, attempts = [], spans = [] } = record;
  return [
    ...(timings === undefined ? [] : stagesOf(record.startedAt, timings)),
    ...attempts.map((attempt) => attemptPiece(record, attempt)),
    ...spans.map((span) => ({ ...span, kind: SpanKind.INTERNAL, failed: false })),
  ];
}

function stagesOf(startedAt: number, timings: Timings): readonly Piece[] {
  const { parse, prepare, guardrailsBefore, cache, guardrailsAfter, firstByte } = timings;
  const prepared = parse + prepare;
  const rows = [
    ['parse', 0, parse],
    ['prepare', parse, prepare],
    ['guardrails_before', prepared, guardrailsBefore],
    ['cache', prepared + guardrailsBefore, cache],
    ['guardrails_after', Math.max(0, (firstByte ?? 0) - guardrailsAfter), guardrailsAfter],
  ] as const;
  return rows
    .filter(([, , ms]) => ms >= shortestStageMs)
    .map(([name, offset, durationMs]) => ({
      name: `portcullis.${name}`,
      kind: SpanKind.INTERNAL,
      startedAt: startedAt + offset,
      durationMs,
      attributes: {},
      failed: false,
    }));
}

/** The first call follows what comes before it; how far the others are behind it is known. */
function attemptPiece(record: RequestRecord, attempt: Attempt): Piece {
  const { timings, startedAt, durationMs, attempts = [] } = record;
  const before = timings === undefined ? 0 : timings.parse + timings.prepare + timings.guardrailsBefore + timings.cache;
  const behind = attempt.startedAt - (attempts[0]?.startedAt ?? attempt.startedAt);
  const latest = Math.max(0, durationMs - attempt.durationMs);
  const offset = Math.min(before + behind, latest);
  const { provider, status } = attempt;
  // It was noted when the reply began; the call lasts as long as its stream.
  const flows = record.stream && status < 400 && attempt === attempts.at(-1) && attempt.target === record.target;
  return {
    name: `call ${provider ?? 'provider'}`,
    kind: SpanKind.CLIENT,
    startedAt: startedAt + offset,
    durationMs: flows ? durationMs - offset : attempt.durationMs,
    attributes: {
      'gen_ai.provider.name': provider === undefined ? undefined : providerName(provider),
      'http.response.status_code': status,
      'error.type': errorType(attempt),
      'portcullis.target': attempt.target,
    },
    failed: status >= 400 || brokeOff(attempt),
  };
}

interface Place {
  readonly traceId: string;
  /** What other systems keep there; all spans of a trace share it. */
  readonly state: TraceState | undefined;
  readonly spanId: string;
  readonly parent: string | undefined;
  /** Whether the parent is another process. */
  readonly isRemote: boolean;
}

const scope = Object.freeze({ name: 'portcullis' });
const nothing: never[] = [];
const sampled = 1;

/** The shape that the serialiser of OpenTelemetry takes: its own spans cannot be given an id, and cost three times as much. */
function readable(piece: Piece, { traceId, state, spanId, parent, isRemote }: Place, resource: Resource): ReadableSpan {
  const context = { traceId, spanId, traceFlags: sampled, ...(state === undefined ? {} : { traceState: state }) };
  return {
    name: piece.name,
    kind: piece.kind,
    spanContext: () => context,
    ...(parent === undefined ? {} : { parentSpanContext: { traceId, spanId: parent, traceFlags: sampled, isRemote } }),
    startTime: momentOf(piece.startedAt),
    endTime: momentOf(piece.startedAt + piece.durationMs),
    duration: momentOf(piece.durationMs),
    ended: true,
    status: { code: piece.failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: known(piece.attributes),
    links: nothing,
    events: nothing,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds. */
function momentOf(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

function known(attributes: Attributes): Attributes {
  const kept: Attributes = {};
  for (const name in attributes) if (attributes[name] !== undefined) kept[name] = attributes[name];
  return kept;
}
