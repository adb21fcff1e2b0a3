import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { asObject, type JsonObject, type Outcome } from 'portcullis/sdk';
import { superset } from '../../../../plugins/prompts/run/superset.ts';
import { exchangeOf, outcomeWith } from '../../../support/exchange.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { startPromptWorld } from './world.ts';

noUnhandledRejections();

const headers = { 'content-type': 'application/json', 'x-gw-trace-id': 'req-1', 'x-gw-request-id': 'req-1' };

function madeOf(bytes: string | Uint8Array, more: Partial<Outcome> = {}): string | undefined {
  const body = { kind: 'bytes', bytes: Buffer.from(bytes) } as const;
  const made = superset(exchangeOf(), outcomeWith({ body, ...more }));
  assert.notEqual(made?.body.kind, 'stream');
  return made?.body.kind === 'bytes' ? Buffer.from(made.body.bytes).toString() : undefined;
}

/** The members of the outermost object, as they are written. */
function keysOf(text: string): readonly string[] {
  const keys: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(?:\s*:)?|[{}[\]]/g)) {
    if ('{['.includes(token)) depth += 1;
    else if ('}]'.includes(token)) depth -= 1;
    else if (depth === 1 && token.endsWith(':')) keys.push(JSON.parse(token.slice(0, -1).trim()));
  }
  return keys;
}

describe('the reply to a prompt', () => {
  const objects: readonly (readonly [string, string, readonly string[]])[] = [
    ['an object', '{"id":"a","n":1.0000000000000000001}', ['id', 'n']],
    ['an empty object', '{}', []],
    ['one of white space', '{ \r\n\t}', []],
    ['white space around it', '\n\t {"id":"a"} \r\n', ['id']],
    ['braces in texts', '{"a":"}{","b":{"c":"}"}}', ['a', 'b']],
    ['names that it takes itself', '{"id":"a","status":"done","body":1,"headers":[],"b":2}', ['id', 'b']],
    ['nothing but such names', '{"status":1}', []],
    ['such names written otherwise', '{"st\\u0061tus":1,"id":"a"}', ['id']],
    ['such names further in', '{"choices":[{"status":1,"body":2}]}', ['choices']],
    ['__proto__', '{"__proto__":{"a":1},"body":1}', ['__proto__']],
  ];
  for (const [what, given, own] of objects)
    it(`holds the completion twice, and no key twice: ${what}`, () => {
      const text = madeOf(given) ?? '';
      assert.deepEqual(keysOf(text), [...own, 'status', 'headers', 'body']);
      const made = JSON.parse(text) as JsonObject;
      assert.deepEqual([made.status, made.headers, made.body], ['success', headers, JSON.parse(given)]);
      assert.ok(text.endsWith(`"body":${given}}`), 'the bytes as they came');
    });

  const others: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['white space', ' \n'],
    ['a list', '[{"a":1}]'],
    ['a text', '"{}"'],
    ['HTML', '<script>{}</script>'],
    ['what looks like an object', '{hello}'],
    ['two objects', '{"a":1}{"b":2}'],
    ['half an object', '{"a":1'],
    ['compressed bytes', gzipSync('{"a":1}')],
    ['bytes that are no text', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
  ];
  for (const [what, given] of others) it(`stays as it is: ${what}`, () => assert.equal(madeOf(given), undefined));

  it('stays as it is where it is an error, or has no body', () => {
    assert.equal(madeOf('{"error":{}}', { status: 446 }), undefined);
    assert.equal(madeOf('', { status: 204 }), undefined);
  });

  it('may be large', () => {
    const given = JSON.stringify({ id: 'a', text: 'x'.repeat(8_000_000) });
    const text = madeOf(given) ?? '';
    assert.ok(text.startsWith(given.slice(0, -1)) && text.endsWith(`"body":${given}}`));
  });

  it('is the same from the cache, which other requests share', async (t) => {
    const { prompt, complete, chat, ask, shop, key, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Cached',
      workspace_id: shop.workspaceId,
      config: { provider: `@${shop.provider}`, cache: { mode: 'simple' } },
    });
    const cached = { 'x-gw-config': String(config) };
    const first = await complete(String(slug), {}, cached);
    const { status: _s, headers: _h, body: _b, ...completion } = first.json;
    const again = async () => {
      const reply = await complete(String(slug), {}, cached);
      return reply.headers.get('x-gw-cache-status') === 'HIT' ? reply : undefined;
    };
    let hit = await again();
    while (hit === undefined) hit = await again();
    const { status, headers: told, body, ...own } = hit.json;
    assert.deepEqual([status, own, body], ['success', completion, completion]);
    assert.equal(asObject(told)?.['x-gw-request-id'], hit.headers.get('x-gw-request-id'));
    const { messages, model, temperature } = peer.requests[0]?.body ?? {};
    const given = { model: model ?? '', messages: messages ?? [], temperature: temperature ?? 0 };
    const direct = await chat(key, cached, given);
    assert.equal(direct.json.status, undefined);
    assert.equal(direct.json.body, undefined);
  });
});
