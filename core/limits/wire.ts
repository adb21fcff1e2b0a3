import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import type { CountKey, UsageBatch } from './counter-source.ts';

/** Below the mount of the control plane. */
export const counterPaths = {
  load: '/gateway/counters/load',
  add: '/gateway/counters/add',
  set: '/gateway/counters/set',
  list: '/gateway/counters/list',
  changes: '/gateway/counters/changes',
} as const;

/** At most so many counts in one call. */
export const mostCounts = 500;

/** A row of a list, or of what has changed. */
export interface WireCount extends CountKey {
  readonly used: number;
  readonly changedAt: number;
}

export function keyBody({ organisationId, name, start }: CountKey): JsonObject {
  return { organisation_id: organisationId, name, start };
}

/** Of a body that was checked against its schema. */
export function keyOf(body: Json | undefined): CountKey {
  const { organisation_id, name, start } = asObject(body) ?? {};
  return { organisationId: String(organisation_id), name: String(name), start: Number(start) };
}

export function batchBody({ writer, number, deltas }: UsageBatch): JsonObject {
  return { writer, number, deltas: deltas.map((delta) => ({ ...keyBody(delta), amount: delta.amount })) };
}

/** Of a body that was checked against its schema. */
export function batchOf({ writer, number, deltas }: JsonObject): UsageBatch {
  return {
    writer: String(writer),
    number: Number(number),
    deltas: asArray(deltas).map((delta) => ({ ...keyOf(delta), amount: Number(asObject(delta)?.amount) })),
  };
}

export function usedBody(used: readonly number[]): JsonObject {
  return { object: 'usage', used: [...used] };
}

export function doneBody(): JsonObject {
  return { object: 'usage_written' };
}

export function countsBody(total: number, counts: readonly WireCount[]): JsonObject {
  const data = counts.map((count) => ({ ...keyBody(count), used: count.used, changed_at: count.changedAt }));
  return { object: 'list', total, data };
}

/** All three give undefined for a body of another form: an answer of somebody else. */
export function readUsed(body: unknown, length: number): readonly number[] | undefined {
  if (!isObject(body, 'usage') || !Array.isArray(body.used)) return undefined;
  const used: readonly unknown[] = body.used;
  return used.length === length && used.every((value) => typeof value === 'number') ? used : undefined;
}

export function readDone(body: unknown): true | undefined {
  return isObject(body, 'usage_written') || undefined;
}

export function readCounts(
  body: unknown,
): { readonly total: number; readonly counts: readonly WireCount[] } | undefined {
  if (!isObject(body, 'list') || typeof body.total !== 'number' || !Array.isArray(body.data)) return undefined;
  const counts = (body.data as readonly Json[]).map((row) => {
    const { used, changed_at } = asObject(row) ?? {};
    return { ...keyOf(row), used: Number(used), changedAt: Number(changed_at) };
  });
  const whole = counts.every(({ start, used, changedAt }) => Number.isFinite(start + used + changedAt));
  return whole ? { total: body.total, counts } : undefined;
}

function isObject(body: unknown, object: string): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && 'object' in body && body.object === object;
}
