import { readFileSync } from 'node:fs';
import type { GenerationDialect, ReplyContext } from '../../../sdk/dialects/dialect.ts';
import type { Call, Delta } from '../../../sdk/dialects/neutral.ts';
import { createFramer } from '../../../sdk/framing/framing.ts';
import type { JsonObject } from '../../../sdk/json.ts';

export interface TestContext extends ReplyContext {
  readonly drops: string[];
}

/** A context that counts its ids and keeps what was dropped. */
export function contextOf(request: JsonObject = { model: 'asked-model' }, strict = true): TestContext {
  const drops: string[] = [];
  let ids = 0;
  return {
    strict,
    request,
    drops,
    dropped: (field) => void drops.push(field),
    newId: (prefix) => `${prefix}${++ids}`,
    nowSeconds: () => 1_700_000_000,
  };
}

export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}

/** A call of another dialect, deep-frozen. */
export function callOf(fields: Partial<Call>): Call {
  return frozen({
    model: 'm',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    dialect: 'chat',
    extra: {},
    ...fields,
  });
}

/** What the tests of one dialect share: its streams both ways, and the fixtures in the folder of `base`. */
export function supportFor(dialect: GenerationDialect, base: string) {
  /** Every step that a stream of this text decodes to. */
  function deltasOf(text: string, chunkBytes = Number.POSITIVE_INFINITY, context = contextOf()): Delta[] {
    const framer = createFramer('sse');
    const decoder = dialect.decodeStream(context);
    const bytes = new TextEncoder().encode(text);
    const deltas: Delta[] = [];
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      for (const frame of framer.push(bytes.slice(at, at + chunkBytes))) deltas.push(...decoder.push(frozen(frame)));
      if (!Number.isFinite(chunkBytes)) break;
    }
    for (const frame of framer.end()) deltas.push(...decoder.push(frame));
    return [...deltas, ...decoder.end()];
  }

  /** The wire text of a sequence of steps. */
  function wireOf(deltas: readonly Delta[], context = contextOf()): string {
    const encoder = dialect.encodeStream(context);
    return deltas.map((delta) => encoder.push(frozen(delta))).join('');
  }

  function fixture(name: string): string {
    return readFileSync(new URL(`./fixtures/${name}`, base), 'utf8');
  }

  function jsonFixture(name: string): JsonObject {
    return frozen(JSON.parse(fixture(name)) as JsonObject);
  }

  return { deltasOf, wireOf, fixture, jsonFixture };
}

/** The events of wire text, each checked to be named by its type. */
export function eventsOf(text: string): JsonObject[] {
  const framer = createFramer('sse');
  return [...framer.push(new TextEncoder().encode(text)), ...framer.end()].map((frame) => {
    const event = JSON.parse(frame.data) as JsonObject;
    if (frame.event !== event.type) throw new Error(`The event "${String(event.type)}" is named "${frame.event}".`);
    return event;
  });
}
