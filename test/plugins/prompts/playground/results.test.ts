import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { both, resultsOf, startPlayground } from './world.ts';

noUnhandledRejections();

const messageOf = (result: JsonObject | undefined) => String(asObject(asObject(result?.body)?.error)?.message);

describe('a playground with several models', () => {
  it('asks all of them at once, and answers in their order', async (t) => {
    const { play, peer, other } = await startPlayground(t);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    peer.next({ before: first.promise });
    other.next({ before: second.promise });
    const asked = play();
    const requests = await Promise.all([peer.request(0), other.request(0)]);
    // The last is answered first.
    second.resolve();
    setImmediate(first.resolve);
    const results = resultsOf(await asked);
    assert.deepEqual(
      results.map(({ index, model, status }) => [index, model, status]),
      [
        [0, '@prov-shop/gpt-4o', 200],
        [1, '@prov-other/gpt-4o-mini', 200],
      ],
    );
    for (const { body } of results) assert.equal(asObject(body)?.object, 'chat.completion');
    const filled = [
      { role: 'system', content: 'You speak Danish.' },
      { role: 'user', content: 'Greet Ada "the first".' },
    ];
    assert.deepEqual(
      requests.map(({ body }) => body),
      [
        { model: 'gpt-4o', messages: filled, stream: false },
        { model: 'gpt-4o-mini', messages: filled, stream: false },
      ],
    );
    assert.notEqual(results[0]?.request_id, results[1]?.request_id);
  });

  it('tells a failure beside what works', async (t) => {
    const { play, peer, other, ask, shop } = await startPlayground(t);
    const { slug } = await ask('POST', '/v1/configs', {
      name: 'Impatient',
      workspace_id: shop.workspaceId,
      config: { request_timeout: 20 },
    });
    const { slug: guarded } = await ask('POST', '/v1/configs', {
      name: 'Guarded',
      workspace_id: shop.workspaceId,
      config: {
        input_guardrails: [{ 'default.contains': { words: ['Ada'], operator: 'none' }, deny: true, id: 'words' }],
      },
    });
    other.always({ status: 502, body: { error: { message: 'away' } } });
    peer.always(({ body }) => (body.model === 'slow' ? { before: 'never' } : {}));
    const results = resultsOf(
      await play({
        models: [
          { model: '@prov-other/m' },
          { model: '@prov-shop/gpt-4o' },
          { model: '@prov-shop/slow', config: slug ?? '' },
          { model: '@prov-nothing/m' },
          { model: '@prov-shop/gpt-4o', config: guarded ?? '' },
          { model: 'gpt-4o' },
          { model: 'gpt-4o', config: 'pc-nothing' },
        ],
      }),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      [502, 200, 408, 400, 446, 400, 400],
    );
    assert.match(messageOf(results[0]), /away/);
    assert.match(messageOf(results[3]), /prov-nothing/);
    assert.match(messageOf(results[6]), /pc-nothing/);
    assert.equal(asObject(results[1]?.body)?.object, 'chat.completion');
  });

  it('gives each its own parameters, over those of the template', async (t) => {
    const { play, peer, other } = await startPlayground(t);
    await play({
      parameters: { temperature: 0.5, max_tokens: 10, messages: [], stream: true },
      models: [
        { model: 'gpt-4o', virtual_key: '@prov-shop', parameters: { temperature: 0, user: 'u', variables: {} } },
        { model: 'gpt-4o-mini', virtual_key: 'prov-other' },
      ],
    });
    const pick = ({ messages: _, ...rest }: JsonObject) => rest;
    assert.deepEqual(pick(peer.requests[0]?.body ?? {}), {
      model: 'gpt-4o',
      temperature: 0,
      max_tokens: 10,
      user: 'u',
      stream: false,
    });
    assert.deepEqual(pick(other.requests[0]?.body ?? {}), {
      model: 'gpt-4o-mini',
      temperature: 0.5,
      max_tokens: 10,
      stream: false,
    });
    assert.equal(asObjects(peer.requests[0]?.body.messages).length, 2);
  });

  it('sends each through its own config', async (t) => {
    const { play, peer, shop } = await startPlayground(t);
    const results = resultsOf(
      await play({ models: [{ model: 'gpt-4o', config: shop.config }, { model: '@prov-shop/gpt-4o' }] }),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual(new Set(peer.requests.map(({ body }) => body.user)), new Set(['config-1', undefined]));
  });

  it('passes tools and a choice among them', async (t) => {
    const { play, peer } = await startPlayground(t);
    const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } }];
    const choice = { type: 'function', function: { name: 'find' } };
    for (const tool_choice of ['auto', choice]) {
      resultsOf(await play({ tools, tool_choice, models: both.slice(0, 1) }));
      assert.deepEqual(peer.requests.at(-1)?.body.tools, tools);
      assert.deepEqual(peer.requests.at(-1)?.body.tool_choice, tool_choice);
    }
  });

  it('that answers what is no JSON says so', async (t) => {
    const { play, peer, other } = await startPlayground(t);
    peer.always({ body: '{"choices": [}' });
    other.always({ body: '{"a":1}}' });
    for (const { status, error, body } of resultsOf(await play())) {
      assert.deepEqual([status, body], [200, undefined]);
      assert.match(String(asObject(error)?.message), /not a JSON object/);
    }
  });

  it("whose provider answers what is no object gives the gateway's own answer", async (t) => {
    const { play, peer, other } = await startPlayground(t);
    const isRefused = async () => {
      for (const { status, body } of resultsOf(await play())) {
        assert.equal(status, 502);
        assert.match(String(asObject(asObject(body)?.error)?.message), /not a JSON object/);
      }
    };
    peer.always({ body: '<html>' });
    other.always({ body: '[{"a":1}]' });
    await isRefused();
    peer.always({ body: '{"choices": [' });
    await isRefused();
  });
});

describe('a template that is tried', () => {
  it('includes partials that are saved', async (t) => {
    const { play, peer, ask, shop } = await startPlayground(t);
    const made = async (name: string, string: string) =>
      String((await ask('POST', '/v1/prompts/partials', { name, string, workspace_id: shop.workspaceId })).slug);
    const inner = await made('Inner', 'dear {{name}}');
    const outer = await made('Outer', `Hello {{>${inner}}}`);
    const results = resultsOf(
      await play({
        string: `{{>${outer}}}! {{>>extra}}`,
        template_metadata: { template_type: 'chat' },
        variables: { name: 'Ada', extra: inner },
        models: both.slice(0, 1),
      }),
    );
    assert.equal(results[0]?.status, 200);
    assert.deepEqual(peer.requests[0]?.body.messages, [{ role: 'user', content: 'Hello dear Ada! dear Ada' }]);
  });

  it('may be a text', async (t) => {
    const { play, peer } = await startPlayground(t);
    peer.always({ body: { id: 'c', object: 'text_completion', choices: [{ index: 0, text: 'Hej' }] } });
    const results = resultsOf(await play({ string: 'Greet {{name}}', models: both.slice(0, 1) }));
    assert.equal(asObject(results[0]?.body)?.object, 'text_completion');
    assert.equal(peer.requests[0]?.url, '/v1/completions');
    assert.equal(peer.requests[0]?.body.prompt, 'Greet Ada "the first"');
  });

  for (const flag of [1, true])
    it(`may be raw: ${flag}`, async (t) => {
      const { play, peer } = await startPlayground(t);
      const string = '[{"role":"user","content":"{{a}}"}{{#more}},{"role":"user","content":"b"}{{/more}}]';
      const raw = { string, is_raw_template: flag, models: both.slice(0, 1) };
      resultsOf(await play({ ...raw, variables: { a: 'A', more: 'yes' } }));
      assert.deepEqual(peer.requests[0]?.body.messages, [
        { role: 'user', content: 'A' },
        { role: 'user', content: 'b' },
      ]);
      const broken = await play({ ...raw, variables: { a: '"' } });
      assert.match(String(asObject(broken.json.error)?.message), /not JSON: line 1/);
      assert.equal(broken.status, 400);
    });
});
