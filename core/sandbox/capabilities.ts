import { type CheckHost, GatewayError, type Json, type ModelQuestion, parseJson, schema } from 'portcullis/sdk';
import { firstFaultOf } from './first-fault.ts';
import type { Handles } from './handles.ts';

/** What one run may do, and what it has done. */
export interface Grants {
  readonly host: CheckHost;
  readonly handles: Handles;
  readonly outboundCalls: number;
  /** Whether the unit's manifest grants models. */
  readonly models: boolean;
  calls: number;
}

interface Capability {
  readonly args: object;
  /** Why the run may not do it; undefined: it may. */
  refusal(grants: Grants): string | undefined;
  use(grants: Grants, args: never): Json | undefined | Promise<Json | undefined>;
}

interface FetchArgs {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

const maxReplyBytes = 1024 * 1024;
const levels = ['debug', 'info', 'warn', 'error'] as const;
const nothingElse = { additionalProperties: false };
const key = schema.String({ minLength: 1, maxLength: 512 });
const granted = () => undefined;

/** All that a guest can reach. Each row looks at its grant first. */
const table = {
  log: {
    args: schema.Object({ level: schema.Enum([...levels]), text: schema.String() }, nothingElse),
    refusal: granted,
    use: ({ host }, { level, text }: { level: (typeof levels)[number]; text: string }) => {
      host.log[level]('guest_log', { text });
      return undefined;
    },
  },
  fetch: {
    args: schema.Object(
      {
        url: schema.String({ minLength: 1, maxLength: 8192 }),
        method: schema.Optional(schema.String({ pattern: '^[A-Za-z]{1,16}$' })),
        headers: schema.Optional(
          schema.Record(schema.String(), schema.String({ maxLength: 16_384 }), { maxProperties: 100 }),
        ),
        body: schema.Optional(schema.String()),
        timeoutMs: schema.Optional(schema.Number({ minimum: 1, maximum: 600_000 })),
        maxBytes: schema.Optional(schema.Integer({ minimum: 1, maximum: maxReplyBytes })),
      },
      nothingElse,
    ),
    refusal: ({ calls, outboundCalls }) =>
      calls < outboundCalls ? undefined : `A run may fetch ${outboundCalls} times.`,
    use: fetchFor,
  },
  cacheGet: {
    args: schema.Object({ key }, nothingElse),
    refusal: granted,
    use: ({ host }, args: { key: string }) => {
      const value = host.cache.get(args.key);
      return value === undefined ? {} : { value };
    },
  },
  cacheSet: {
    args: schema.Object(
      { key, value: schema.Unknown(), ttlSeconds: schema.Integer({ minimum: 1, maximum: 86_400 }) },
      { ...nothingElse, required: ['key', 'value', 'ttlSeconds'] },
    ),
    refusal: granted,
    use: ({ host }, args: { key: string; value: Json; ttlSeconds: number }) => {
      host.cache.set(args.key, args.value, args.ttlSeconds);
      return undefined;
    },
  },
  ask: {
    args: schema.Object(
      {
        model: schema.String({ minLength: 1, maxLength: 512 }),
        system: schema.String(),
        user: schema.String(),
        maxTokens: schema.Integer({ minimum: 1, maximum: 4096 }),
        answer: schema.Optional(
          schema.Object({ name: schema.String(), schema: schema.Unsafe<object>({ type: 'object' }) }, nothingElse),
        ),
      },
      nothingElse,
    ),
    refusal: ({ models, calls, outboundCalls }) => {
      if (!models) return 'The unit may not ask models: its plugin.json does not grant permissions.models.';
      return calls < outboundCalls ? undefined : `A run may call out ${outboundCalls} times.`;
    },
    use: async (grants, question: ModelQuestion) => {
      grants.calls += 1;
      for (const text of [question.system, question.user]) grants.handles.refuseIn(text, 'a question to a model');
      return grants.handles.scrub(await grants.host.ask(question));
    },
  },
} satisfies Record<string, Capability>;

const rows = new Map(
  Object.entries<Capability>(table).map(([name, row]) => [name, { row, faultOf: firstFaultOf(row.args) }] as const),
);

/** A call of the guest, its arguments as JSON. Gives what the guest gets, as JSON; never rejects. */
export async function callFor(grants: Grants, name: string, args: string): Promise<string> {
  try {
    return JSON.stringify({ value: await use(grants, name, parseJson(args)) });
  } catch (thrown) {
    const error = GatewayError.is(thrown)
      ? { code: thrown.code, message: grants.handles.scrub(thrown.message), param: thrown.param }
      : { code: 'internal', message: `The call of ${name} failed.` };
    return JSON.stringify({ error });
  }
}

/** As the guest's own call of that name would be. @throws GatewayError */
export function use(grants: Grants, name: string, args: unknown): Json | undefined | Promise<Json | undefined> {
  const found = rows.get(name);
  if (found === undefined) throw new GatewayError('forbidden', 'The sandbox has no such call.');
  const { row, faultOf } = found;
  const refusal = row.refusal(grants);
  if (refusal !== undefined) throw new GatewayError('forbidden', refusal);
  const fault = faultOf(args);
  if (fault !== undefined) throw new GatewayError('bad_request', `The call of ${name} cannot be made: ${fault}`);
  return row.use(grants, args as never);
}

async function fetchFor(grants: Grants, { url, headers = {}, body, ...bounds }: FetchArgs): Promise<Json> {
  const { handles, host } = grants;
  grants.calls += 1;
  handles.refuseIn(url, 'url');
  if (body !== undefined) handles.refuseIn(body, 'body');
  for (const name of Object.keys(headers)) handles.refuseIn(name, 'the name of a header');
  const reply = await host.fetch(url, {
    ...bounds,
    headers: handles.inHeaders(headers),
    ...(body === undefined ? {} : { body }),
  });
  if (reply.body.byteLength > maxReplyBytes) throw new GatewayError('check_failed', 'The reply is larger than 1 MiB.');
  return {
    status: reply.status,
    headers: Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, handles.scrub(value)])),
    // A character a byte.
    body: handles.scrub(Buffer.from(reply.body).toString('latin1')),
  };
}
