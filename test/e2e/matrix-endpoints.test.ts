import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import OpenAI from 'openai';
import { asObject, asObjects } from 'portcullis/sdk';
import { saved, startGateway, type TestGateway } from '../support/gateway.ts';
import { startPeer } from '../support/peer.ts';

const echo = { configs: { echo: { provider: 'echo' } }, defaultConfig: 'echo' };

describe('the other endpoints through real SDKs', () => {
  it('completes a prompt', async (t) => {
    const client = (await startGateway(t, echo)).openai();
    const completion = await client.completions.create({ model: 'echo', prompt: 'Say this is a test' });
    assert.equal(completion.object, 'text_completion');
    assert.equal(completion.choices[0]?.text, 'Say this is a test');
    assert.equal(completion.choices[0]?.finish_reason, 'stop');
    assert.equal(
      completion.usage?.total_tokens,
      (completion.usage?.prompt_tokens ?? 0) + (completion.usage?.completion_tokens ?? 0),
    );
  });

  it('streams a completion with its usage', async (t) => {
    const client = (await startGateway(t, echo)).openai();
    const stream = await client.completions.create({
      model: 'echo',
      prompt: 'Say this is a test',
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let total: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? '';
      total = chunk.usage?.total_tokens ?? total;
    }
    assert.equal(text, 'Say this is a test');
    assert.ok((total ?? 0) > 0);
  });

  it('completes a prompt at a provider that only chats', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { providers: { claude: saved('anthropic', `${peer.origin}/v1`) } });
    const completion = await gateway
      .openai()
      .completions.create({ model: '@claude/claude-sonnet-4-5', prompt: 'Hi', max_tokens: 50 });
    assert.equal(completion.choices[0]?.text, 'Hello!');
    assert.equal(completion.usage?.prompt_tokens, 12);
    assert.deepEqual(peer.requests[0]?.body.messages, [{ role: 'user', content: 'Hi' }]);
  });

  it('embeds as base64, which is what the SDK asks for, and as floats, with the same numbers', async (t) => {
    const client = (await startGateway(t, echo)).openai();
    const input = ['first', 'second'];
    const packed = await client.embeddings.create({ model: 'echo', input });
    const floats = await client.embeddings.create({ model: 'echo', input, encoding_format: 'float' });
    assert.equal(packed.data.length, 2);
    assert.deepEqual(
      packed.data.map(({ index }) => index),
      [0, 1],
    );
    for (const [index, { embedding }] of packed.data.entries()) {
      assert.deepEqual(embedding, [...new Float32Array(floats.data[index]?.embedding ?? [])]);
    }
    assert.notDeepEqual(packed.data[0]?.embedding, packed.data[1]?.embedding);
  });

  it('reads, lists and deletes a stored response', async (t) => {
    const client = (await startGateway(t, echo)).openai();
    const created = await client.responses.create({ model: 'echo', input: 'Remember me' });
    assert.equal((await client.responses.retrieve(created.id)).output_text, 'Remember me');
    const items = await client.responses.inputItems.list(created.id);
    assert.match(JSON.stringify(items.data), /Remember me/);
    await client.responses.delete(created.id);
    await assert.rejects(client.responses.retrieve(created.id), OpenAI.NotFoundError);
  });

  it('reads a stored response of a provider, id and query as they are', async (t) => {
    const peer = await startPeer(t);
    peer.next(
      { body: { id: 'resp_1', object: 'response', status: 'completed', output: [] } },
      { body: { object: 'list', data: [] } },
    );
    const gateway = await startGateway(t, {
      configs: { main: { virtual_key: 'p' } },
      defaultConfig: 'main',
      providers: { p: saved('openai', `${peer.origin}/v1`) },
    });
    const client = gateway.openai();
    await client.responses.retrieve('resp_1', { include: ['message.output_text.logprobs'] });
    await client.responses.inputItems.list('resp_1', { limit: 2 });
    assert.match(peer.requests[0]?.url ?? '', /^\/v1\/responses\/resp_1\?include/);
    assert.equal(peer.requests[1]?.url, '/v1/responses/resp_1/input_items?limit=2');
    assert.deepEqual(
      peer.requests.map(({ method }) => method),
      ['GET', 'GET'],
    );
    assert.equal(peer.requests[0]?.headers.authorization, 'Bearer operator-key');
  });

  const countable = {
    messages: [{ role: 'user' as const, content: 'How many tokens are these?' }],
    system: 'You count.',
  };

  it('counts tokens inside the gateway', async (t) => {
    const client = (await startGateway(t, echo)).anthropic();
    const { input_tokens: tokens } = await client.messages.countTokens({ model: 'echo', ...countable });
    assert.ok(Number.isInteger(tokens) && tokens > 0);
  });

  it('counts tokens at the provider', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, { providers: { claude: saved('anthropic', `${peer.origin}/v1`) } });
    const { input_tokens: tokens } = await gateway
      .anthropic()
      .messages.countTokens({ model: '@claude/claude-sonnet-4-5', ...countable });
    assert.equal(tokens, 14);
    assert.equal(peer.requests[0]?.url, '/v1/messages/count_tokens');
    assert.equal(peer.requests[0]?.body.model, 'claude-sonnet-4-5');
  });

  it('lists the models that the operator has named, without asking a provider', async (t) => {
    const peer = await startPeer(t);
    const gateway = await startGateway(t, {
      providers: { a: saved('openai', `${peer.origin}/v1`, { api_key: 'k' }, ['gpt-4.1', 'gpt-5']) },
    });
    const page = await gateway.openai().models.list();
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ['@a/gpt-4.1', '@a/gpt-5'],
    );
    assert.equal(peer.requests.length, 0);
  });

  it("lists a provider's own models where a header names it", async (t) => {
    const peer = await startPeer(t);
    peer.next({
      body: { object: 'list', data: [{ id: 'gpt-4.1', object: 'model', created: 1_686_935_002, owned_by: 'openai' }] },
    });
    const gateway = await startGateway(t, { providers: { a: saved('openai', `${peer.origin}/v1`) } });
    const page = await gateway.openai({ 'x-gw-provider': '@a' }).models.list();
    assert.deepEqual(
      page.data.map(({ id }) => id),
      ['gpt-4.1'],
    );
    assert.equal(peer.requests[0]?.url, '/v1/models');
  });

  it('says what is wrong with a completion in each SDK as its own error class', async (t) => {
    const gateway: TestGateway = await startGateway(t, echo);
    await assert.rejects(
      gateway
        .openai()
        .chat.completions.create({ model: 'echo-status-429', messages: [{ role: 'user', content: 'x' }] }),
      OpenAI.RateLimitError,
    );
    await assert.rejects(
      gateway.openai().responses.create({ model: 'echo-status-500', input: 'x' }),
      OpenAI.InternalServerError,
    );
    const failed = await gateway
      .anthropic()
      .messages.create({ model: 'echo-status-404', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] })
      .catch((error: unknown) => error);
    const { status, error } = failed as { status?: number; error?: unknown };
    assert.equal(status, 404);
    assert.equal(asObject(asObject(error)?.error)?.type, 'not_found_error');
    assert.equal(asObjects([asObject(error)])[0]?.type, 'error');
  });
});
