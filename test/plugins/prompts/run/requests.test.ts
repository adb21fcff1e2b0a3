import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { clientGone } from '../../../e2e/client-gone.ts';
import { integrate } from '../../../e2e/control/furnish.ts';
import { refusal } from '../../../e2e/control/world.ts';
import { startPeer } from '../../../support/peer.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { startPromptWorld, variables } from './world.ts';

noUnhandledRejections();

describe('the path of a prompt', () => {
  it('takes POST alone', async (t) => {
    const { c, prompt, key } = await startPromptWorld(t);
    const { slug } = await prompt();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const reply = await c.call(method, `/v1/prompts/${slug}/completions`, { key });
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'], method);
    }
  });

  it('names a prompt or is refused, in the format of chat', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const table: readonly (readonly [string, number])[] = [
      [`${slug}%40latest`, 200],
      [`${slug}%2Fother`, 400],
      ['..%2F..%2Fadmin', 400],
      [`${slug}@latest@2`, 400],
      [`@${slug}`, 400],
      [`${slug}@-1`, 404],
      [`${slug}@0`, 404],
      [`${slug}@1e0`, 404],
      [`${slug}@99999999999999999999`, 404],
      ['a'.repeat(256), 400],
      ['%F0%9F%94%91', 400],
      ['__proto__', 404],
      [`${slug}@__proto__`, 404],
      [`${slug}@constructor`, 404],
    ];
    for (const [reference, status] of table) {
      const reply = await complete(reference);
      assert.equal(reply.status, status, `${reference}: ${reply.text}`);
      if (status !== 200) assert.equal(asObject(reply.json.error)?.param, 'promptId', reference);
    }
    const malformed = await complete('%zz');
    assert.ok(malformed.status >= 400 && malformed.status < 500, malformed.text);
    assert.equal(peer.requests.length, 1);
  });

  it('needs a JSON object', async (t) => {
    const { c, prompt, key } = await startPromptWorld(t);
    const { slug } = await prompt();
    const post = (body: string, type = 'application/json') =>
      fetch(`${c.url}/v1/prompts/${slug}/completions`, {
        method: 'POST',
        headers: { 'content-type': type, 'x-gw-api-key': key },
        body,
      });
    for (const body of ['', '[]', '{', 'null', '"a"']) {
      const reply = await post(body);
      assert.equal(reply.status, 400, body);
      assert.equal(typeof asObject(await reply.json())?.error, 'object');
    }
    assert.equal((await post('{}', 'text/plain')).status, 415);
  });
});

describe('what fills a prompt', () => {
  it('is what it says, whatever its names', async (t) => {
    const { c, prompt, key, peer } = await startPromptWorld(t);
    const template = JSON.stringify([{ role: 'user', content: 'a{{__proto__}}b{{constructor}}c{{toString.name}}d' }]);
    const { slug } = await prompt({ string: template });
    const post = (body: string) =>
      fetch(`${c.url}/v1/prompts/${slug}/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-gw-api-key': key },
        body,
      });
    const sent = () => JSON.stringify(peer.requests.at(-1)?.body);
    assert.equal((await post('{"variables":{}}')).status, 200);
    assert.match(sent(), /"abcd"/);
    assert.equal((await post('{"variables":{"__proto__":"P","constructor":"C"}}')).status, 200);
    assert.match(sent(), /"aPbCcd"/);
    const polluting = '{"variables":{"__proto__":{"model":"x","a":1}},"__proto__":{"model":"stolen","user":"stolen"}}';
    const reply = await post(polluting);
    assert.equal(peer.requests.at(-1)?.body.model, 'gpt-4o', await reply.text());
    assert.equal(peer.requests.at(-1)?.body.user, undefined);
    assert.equal(({} as JsonObject).model, undefined);
  });

  it('may be long, and is refused where the request would be too long', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const long = 'x'.repeat(3_000_000);
    assert.equal((await complete(String(slug), { variables: { ...variables, name: long } })).status, 200);
    assert.ok((peer.requests[0]?.bytes.length ?? 0) > 3_000_000);
    const longer = { variables: { ...variables, name: 'x'.repeat(5_000_000) } };
    refusal(await complete(String(slug), longer), 400);
    const nested = { variables: { a: JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) } };
    refusal(await complete(String(slug), nested), 400);
    assert.equal(peer.requests.length, 1);
  });

  it('leads another provider to the model alone', async (t) => {
    const { prompt, complete, ask, shop, peer } = await startPromptWorld(t);
    const other = await startPeer(t);
    const integration = await integrate(ask, { slug: 'int-b', secret: 'sk-b', origin: other.origin });
    await ask('PUT', `/v1/integrations/${integration}/workspaces`, {
      workspaces: [{ id: shop.workspaceId, enabled: true }],
      create_default_provider: false,
    });
    const provider = { name: 'B', slug: 'prov-b', integration_id: integration, workspace_id: shop.workspaceId };
    await ask('POST', '/v1/providers', provider);
    const { slug } = await prompt();
    const reply = await complete(String(slug), {}, { 'x-gw-virtual-key': 'prov-b' });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([other.requests[0]?.body.model, peer.requests.length], ['gpt-4o', 0]);
  });
});

describe('a client of a prompt that leaves', () => {
  for (const stream of [true, false])
    it(`ends the call: ${stream ? 'a stream' : 'one reply'}`, async (t) => {
      const { c, prompt, key, peer } = await startPromptWorld(t);
      const { slug } = await prompt();
      peer.next({ before: 'never' });
      const left = new AbortController();
      const gone = clientGone(c.url);
      const asked = assert.rejects(
        fetch(`${c.url}/v1/prompts/${slug}/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gw-api-key': key },
          body: JSON.stringify({ variables, stream }),
          signal: left.signal,
        }),
      );
      const { abandoned } = await peer.request(0);
      left.abort();
      await Promise.all([gone, abandoned, asked]);
      const line = () => c.log.find(({ event, fields }) => event === 'request' && fields.status === 499);
      while (line() === undefined) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(line()?.fields.error, 'client_closed');
    });
});

describe('a dry run of a prompt', () => {
  it('shows what would be sent, and sends nothing', async (t) => {
    const { c, prompt, key, peer, ask, shop } = await startPromptWorld(t);
    const { slug } = await prompt();
    const { slug: config } = await ask('POST', '/v1/configs', {
      name: 'Two',
      workspace_id: shop.workspaceId,
      config: { strategy: { mode: 'fallback' }, targets: [{ prompt_id: `${slug}@9` }, { prompt_id: slug ?? '' }] },
    });
    const explain = (path: string, body: JsonObject, headers: Readonly<Record<string, string>> = {}) =>
      c.gateway.explain({ path, headers: { 'x-gw-api-key': key, ...headers }, body });
    const own = await explain(`/v1/prompts/${slug}/completions`, { variables });
    assert.deepEqual(own.targets[0]?.notes, [`Runs the prompt ${slug}, version 1.`]);
    assert.equal(asObject(own.targets[0]?.body)?.model, 'gpt-4o');
    const two = await explain('/v1/chat/completions', { variables }, { 'x-gw-config': String(config) });
    assert.match(two.targets[0]?.error?.message ?? '', /version 9/);
    assert.match(JSON.stringify(two.targets[1]?.body), /Greet Ada/);
    const missing = await explain('/v1/prompts/pp-none/completions', { variables });
    assert.equal(missing.error?.code, 'not_found');
    assert.equal(peer.requests.length, 0);
  });
});
