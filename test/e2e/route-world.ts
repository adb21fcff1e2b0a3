import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { asObject, asString, type JsonObject, parseJson } from 'portcullis/sdk';
import { WebSocket } from 'ws';
import { clientError } from '../support/client-dialects.ts';
import { type ControlOptions, startControl, type TestControl } from '../support/control.ts';
import type { Reply } from '../support/gateway.ts';
import { type RouteCall, word } from './route-call.ts';
import { type RouteUpstream, startRouteUpstream } from './route-upstream.ts';

type Headers = Readonly<Record<string, string>>;

/** A gateway with its control plane and two workspaces that share the accounts of their providers. */
export interface RouteWorld {
  readonly control: TestControl;
  readonly upstream: RouteUpstream;
  /** Its providers are `prod`, `claude`, `ranks` and `reads`; those of the other one have `-2` at their ends. */
  readonly own: string;
  readonly other: string;
  /** A new key of a workspace; default: the first, with the right to infer. */
  key(given?: JsonObject): Promise<string>;
  /** @param headers in the place of the one that names the provider */
  send(call: RouteCall, key: string | undefined, headers?: Headers): Promise<Reply>;
  /** How often a provider was asked so far. */
  readonly count: () => number;
}

const accounts: Readonly<Record<RouteCall['provider'], readonly [unit: string, path: string]>> = {
  prod: ['openai', '/v1'],
  claude: ['anthropic', '/anthropic/v1'],
  ranks: ['cohere', ''],
  reads: ['mistral-ai', '/v1'],
};

export async function routeWorld(t: Pick<TestContext, 'after'>, options: ControlOptions = {}): Promise<RouteWorld> {
  const upstream = await startRouteUpstream(t);
  const control = await startControl(t, options);
  const workspace = async (name: string) => String((await control.ok('POST', '/v1/workspaces', { body: { name } })).id);
  const own = await workspace('Own');
  const other = await workspace('Other');
  for (const [slug, [unit, path]] of Object.entries(accounts)) {
    const { id } = await control.ok('POST', '/v1/integrations', {
      body: {
        name: slug,
        ai_provider_id: unit,
        key: 'sk-of-the-organisation',
        configurations: { custom_host: `${upstream.origin}${path}` },
      },
    });
    const grants = [
      { id: own, enabled: true, default_provider_slug: slug },
      { id: other, enabled: true, default_provider_slug: `${slug}-2` },
    ];
    await control.ok('PUT', `/v1/integrations/${id}/workspaces`, { body: { workspaces: grants } });
  }
  const prompt = await control.ok('POST', '/v1/prompts', {
    body: {
      name: 'Greeting',
      workspace_id: own,
      string: JSON.stringify([{ role: 'user', content: 'Say {{what}}.' }]),
      parameters: {},
      virtual_key: 'prod',
      model: 'gpt-4o-mini',
    },
  });
  return {
    control,
    upstream,
    own,
    other,
    key: async (given = {}) => {
      const made = await control.ok('POST', '/v1/api-keys/workspace/service', {
        body: { name: 'caller', workspace_id: own, scopes: ['completions.write'], ...given },
      });
      return String(made.key);
    },
    send: (call, key, headers = { 'x-gw-provider': `@${call.provider}` }) =>
      sent(
        control.url,
        { ...call, path: call.path.replace('/greeting/', `/${prompt.slug}/`) },
        { ...(key === undefined ? {} : { 'x-gw-api-key': key }), ...headers },
      ),
    count: () => upstream.asked.length,
  };
}

/** One world for all tests of a block, started by the first. */
export function sharedWorld(options: ControlOptions = {}): () => Promise<RouteWorld> {
  const closing: (() => unknown)[] = [];
  let world: Promise<RouteWorld> | undefined;
  after(async () => {
    for (const close of closing.reverse()) await close();
  });
  return () => {
    world ??= routeWorld({ after: (close) => closing.push(close as () => unknown) }, options);
    return world;
  };
}

/** A guardrail that denies whoever says the word, saved in the workspace. */
export async function denying({ control, own }: RouteWorld, actions: JsonObject = {}): Promise<string> {
  const { slug } = await control.ok('POST', '/v1/guardrails', {
    body: {
      name: 'Without the word',
      workspace_id: own,
      checks: [
        {
          id: 'default.contains',
          parameters: { operator: 'none', words: [word], scan_scope: 'all_messages' },
        },
      ],
      actions: { deny: true, ...actions },
    },
  });
  return String(slug);
}

/** The error of a reply, which must be in the format that the clients of the route read. */
export function errorIn({ path }: RouteCall, reply: Reply): { readonly type: string; readonly message: string } {
  if (!path.startsWith('/v1beta/')) {
    const { type = '', message } = clientError(path.startsWith('/v1/messages') ? 'messages' : 'chat', reply);
    return { type, message };
  }
  const { code, status, message, type } = asObject(reply.json.error) ?? {};
  if (code !== reply.status || typeof status !== 'string' || typeof message !== 'string')
    throw new Error(`No error of the format: ${reply.text}`);
  return { type: asString(type) ?? status.toLowerCase(), message };
}

async function sent(url: string, call: RouteCall, headers: Headers): Promise<Reply> {
  const { method, path, json, form, bytes } = call;
  if (method === 'UPGRADE') return upgraded(url.replace(/^http/, 'ws') + path, headers);
  const body = form === undefined ? (bytes ?? (json === undefined ? undefined : JSON.stringify(json))) : formOf(form);
  const type = form !== undefined || body === undefined ? undefined : bytes === undefined ? 'json' : 'octet-stream';
  const response = await fetch(url + path, {
    method,
    headers: { ...(type === undefined ? {} : { 'content-type': `application/${type}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: asObject(parseJson(text)) ?? {} };
}

function formOf(fields: NonNullable<RouteCall['form']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, 'file.bin');
  }
  return form;
}

/** Status 101 where there is a session, which is closed again. */
async function upgraded(url: string, headers: Headers): Promise<Reply> {
  const socket = new WebSocket(url, { headers });
  socket.on('error', () => {});
  const refused = once(socket, 'unexpected-response');
  const opened = once(socket, 'open');
  const first = await Promise.race([refused, opened.then(() => undefined)]);
  if (first === undefined) {
    socket.close();
    return { status: 101, headers: new Headers(), text: '', json: {} };
  }
  const response = first[1] as IncomingMessage;
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const given = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  return { status: response.statusCode ?? 0, headers: given, text, json: asObject(parseJson(text)) ?? {} };
}

/** Asks again and again until it holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await holds()); tries += 1) {
    if (tries > 250) throw new Error('It never came to hold.');
    await sleep(20);
  }
}
