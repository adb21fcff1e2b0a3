import type { DialectName, Endpoint, JsonObject, Outcome, TargetContext } from 'portcullis/sdk';
import { Exchange } from '../../core/pipeline/exchange.ts';
import type { Leaf } from '../../core/routing/plan.ts';

export interface ExchangeFacts {
  readonly body?: JsonObject;
  readonly rawBody?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly vendors?: readonly string[];
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly endpoint?: Endpoint;
  readonly dialect?: DialectName | undefined;
  readonly params?: Readonly<Record<string, string>>;
}

/** A chat request, or what the facts make of it. */
export function exchangeOf(facts: ExchangeFacts = {}): Exchange {
  const exchange = new Exchange({
    id: 'req-1',
    method: facts.method ?? 'POST',
    path: facts.path ?? '/v1/chat/completions',
    query: facts.query ?? '',
    endpoint: facts.endpoint ?? 'chatComplete',
    dialect: 'dialect' in facts ? facts.dialect : 'chat',
    params: facts.params ?? {},
    headers: facts.headers ?? {},
    vendors: facts.vendors ?? ['gw'],
    startedAt: 1_700_000_000_000,
  });
  exchange.body = facts.body ?? { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
  exchange.rawBody =
    facts.rawBody ??
    (facts.body === undefined && exchange.dialect === undefined
      ? undefined
      : Buffer.from(JSON.stringify(exchange.body)));
  return exchange;
}

export function leafOf(fields: Partial<Leaf> = {}): Leaf {
  return {
    kind: 'leaf',
    path: 'config',
    settings: {},
    passthrough: false,
    hooks: { before: [], after: [] },
    ...fields,
  };
}

export function targetOf(fields: Partial<TargetContext> = {}): TargetContext {
  const request = fields.request ?? exchangeOf();
  return {
    request,
    path: 'config',
    name: undefined,
    provider: 'some',
    body: request.body,
    strict: true,
    retry: undefined,
    overrideParams: undefined,
    defaultParams: undefined,
    dropParams: undefined,
    hooks: { before: [], after: [] },
    identity: () => 'a'.repeat(64),
    ...fields,
  };
}

export function outcomeWith(fields: Partial<Outcome> = {}): Outcome {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { kind: 'bytes', bytes: Buffer.from('{}') },
    provider: 'some',
    model: 'm',
    path: 'config',
    retries: 0,
    usage: () => undefined,
    ...fields,
  };
}
