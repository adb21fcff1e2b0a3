import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, type JsonObject } from 'portcullis/sdk';
import { refusal } from '../../../e2e/control/world.ts';
import { noUnhandledRejections } from '../../../support/rejections.ts';
import { chatTemplate, startPromptWorld } from './world.ts';

noUnhandledRejections();

const filled = [
  { role: 'system', content: 'You speak Danish.' },
  { role: 'user', content: 'Greet Ada "the first".' },
];

describe('a saved prompt that is run', () => {
  it('reaches its provider with its model, messages and parameters', async (t) => {
    const { prompt, complete, peer, shop } = await startPromptWorld(t);
    const { slug } = await prompt();
    const reply = await complete(String(slug));
    assert.equal(reply.status, 200, reply.text);
    const [sent] = peer.requests;
    assert.equal(sent?.url, '/v1/chat/completions');
    assert.equal(sent.headers.authorization, shop.authorization);
    assert.deepEqual(sent.body, { model: 'gpt-4o', messages: filled, temperature: 0.5 });
  });

  it('answers with the completion, and with status, headers and body beside it', async (t) => {
    const { prompt, complete, chat, key } = await startPromptWorld(t);
    const { slug } = await prompt();
    const reply = await complete(String(slug));
    const { status, headers, body, ...completion } = reply.json;
    assert.equal(status, 'success');
    assert.equal(asObject(headers)?.['x-gw-trace-id'], reply.headers.get('x-gw-trace-id'));
    assert.deepEqual(body, completion);
    const direct = await chat(key, { 'x-gw-virtual-key': 'prov-shop' });
    assert.deepEqual(Object.keys(completion), Object.keys(direct.json));
  });

  it('streams plain chunks that end with [DONE]', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const reply = await complete(String(slug), { stream: true });
    assert.match(reply.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.match(reply.text, /^data: \{"id".*"chat\.completion\.chunk"/);
    assert.match(reply.text, /data: \[DONE\]\n\n$/);
    assert.equal(peer.requests[0]?.body.stream, true);
  });

  it('is a text completion where its template is a text', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    peer.always({ body: { id: 'c', object: 'text_completion', choices: [{ index: 0, text: 'Hej' }] } });
    const { slug } = await prompt({ string: 'Greet {{name}}', template_metadata: { template_type: 'text' } });
    const reply = await complete(String(slug), { max_tokens: 7 });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(peer.requests[0]?.url, '/v1/completions');
    assert.deepEqual(peer.requests[0]?.body, {
      model: 'gpt-4o',
      prompt: 'Greet Ada "the first"',
      temperature: 0.5,
      max_tokens: 7,
    });
  });

  it('takes parameters of the request over its own, and refuses messages', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const more = { temperature: 1.5, max_completion_tokens: 9, model: 'gpt-4o-mini', user: 'u' };
    await complete(String(slug), more);
    assert.deepEqual(peer.requests[0]?.body, { messages: filled, ...more });
    assert.equal(refusal(await complete(String(slug), { messages: [] }), 400).message.includes('messages'), true);
    refusal(await complete(String(slug), { temperature: 'hot' }), 400);
  });

  it('goes where the headers of the request say', async (t) => {
    const { prompt, complete, peer, ask, shop } = await startPromptWorld(t);
    const { slug } = await prompt();
    const config = await ask('POST', '/v1/configs', {
      name: 'Marked',
      workspace_id: shop.workspaceId,
      config: { override_params: { user: 'by config' } },
    });
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, { defaults: { config_id: String(config.slug) } });
    await complete(String(slug));
    assert.equal(peer.requests.shift()?.body.user, undefined, 'a default is for requests that name nothing');
    await complete(String(slug), {}, { 'x-gw-config': String(config.slug) });
    assert.deepEqual([peer.requests[0]?.body.user, peer.requests[0]?.body.model], ['by config', 'gpt-4o']);
    const elsewhere = await complete(String(slug), {}, { 'x-gw-provider': '@nothing' });
    assert.match(refusal(elsewhere, 400).message, /nothing/);
  });

  it('needs variables as an object', async (t) => {
    const { prompt, complete, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    for (const variables of [undefined, null, 'x', []] as const)
      assert.match(refusal(await complete(String(slug), { variables } as JsonObject), 400).message, /variables/);
    assert.equal(peer.requests.length, 0);
  });
});

describe('a reference to a prompt', () => {
  it('means the Published version, the latest, a number or a label', async (t) => {
    const { prompt, draft, complete, peer, ask } = await startPromptWorld(t);
    const { id, slug } = await prompt({ string: chatTemplate.replace('Greet', 'One') });
    const second = await draft(String(id), { string: chatTemplate.replace('Greet', 'Two') });
    await draft(String(id), { string: chatTemplate.replace('Greet', 'Three') });
    const { data } = (await ask('GET', '/v1/labels')) as { readonly data: readonly JsonObject[] };
    const staging = data.find(({ name }) => name === 'staging');
    await ask('PUT', `/v1/prompts/${slug}/versions/${second.prompt_version_id}`, { label_id: staging?.id ?? null });
    const asked = async (reference: string) => {
      const reply = await complete(reference);
      assert.equal(reply.status, 200, reply.text);
      return JSON.stringify(peer.requests.at(-1)?.body.messages).match(/One|Two|Three/)?.[0];
    };
    assert.equal(await asked(String(slug)), 'One');
    assert.equal(await asked(String(id)), 'One');
    assert.equal(await asked(`${slug}@latest`), 'Three');
    assert.equal(await asked(`${slug}@2`), 'Two');
    assert.equal(await asked(`${slug}@staging`), 'Two');
    await ask('PUT', `/v1/prompts/${slug}/makeDefault`, { version: 3 });
    assert.equal(await asked(String(slug)), 'Three', 'publishing is seen at once');
  });

  it('is named when it leads nowhere', async (t) => {
    const { prompt, complete, ask, peer } = await startPromptWorld(t);
    const { slug } = await prompt();
    const table: readonly (readonly [string, number, RegExp])[] = [
      ['pp-nothing', 404, /pp-nothing/],
      [`${slug}@9`, 404, /version 9/],
      [`${slug}@production`, 404, /production/],
      ['a%20b', 400, /"a b" names no prompt/],
      [`${slug}@`, 400, /names no prompt/],
    ];
    for (const [reference, status, message] of table)
      assert.match(refusal(await complete(reference), status).message, message);
    await ask('DELETE', `/v1/prompts/${slug}`);
    assert.match(refusal(await complete(String(slug)), 404).message, /archived/);
    assert.equal(peer.requests.length, 0);
  });

  it('of another workspace is unknown', async (t) => {
    const { prompt, c, ask } = await startPromptWorld(t);
    const { slug } = await prompt();
    const other = await ask('POST', '/v1/admin/workspaces', { name: 'Other' });
    const made = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Other',
      workspace_id: String(other.id),
      scopes: ['completions.write'],
    });
    const reply = await c.call('POST', `/v1/prompts/${slug}/completions`, {
      key: String(made.key),
      body: { variables: {} },
    });
    assert.match(refusal(reply, 404).message, new RegExp(String(slug)));
  });
});
