import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asObject, asObjects, type JsonObject } from 'portcullis/sdk';
import { errorOf, guarded, resultsOf, said, says, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const text =
  'The guardrail checks defined in the config failed. You can find more information in the `hook_results` object.';
const chatError = { error: { message: text, type: 'hooks_failed', param: null, code: null } };

interface Route {
  readonly path: string;
  readonly body: (content: string) => JsonObject;
  readonly error: JsonObject;
}

const routes: Readonly<Record<string, Route>> = {
  chat: { path: '/v1/chat/completions', body: (content) => says(content), error: chatError },
  completions: { path: '/v1/completions', body: (prompt) => ({ model: 'm', prompt }), error: chatError },
  messages: {
    path: '/v1/messages',
    body: (content) => says(content, { max_tokens: 64 }),
    error: { type: 'error', error: { type: 'hooks_failed', message: text } },
  },
  responses: { path: '/v1/responses', body: (input) => ({ model: 'm', input }), error: chatError },
  embeddings: { path: '/v1/embeddings', body: (input) => ({ model: 'm', input }), error: chatError },
};
const answering = Object.entries(routes).filter(([name]) => name !== 'embeddings');
const denying = { ...without('bad'), deny: true };

describe('a denied request', () => {
  for (const [name, { path, body, error }] of Object.entries(routes)) {
    it(`is answered with 446 and the results, in the format of ${name}`, async (t) => {
      const { ask } = await guarded(t);
      const reply = await ask({ input_guardrails: [denying] }, body('bad'), { path });
      const { hook_results: results, request_id: id, ...rest } = reply.json;
      assert.deepEqual([reply.status, rest], [446, error]);
      assert.equal(typeof id, name === 'messages' ? 'string' : 'undefined');
      assert.deepEqual(Object.keys(asObject(results) ?? {}), ['before_request_hooks', 'after_request_hooks']);
      assert.deepEqual([resultsOf(reply).length, resultsOf(reply, 'after')], [1, []]);
    });
  }

  it('never reaches the provider, and neither does a mutator or a sequential guardrail run after it', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const reply = await ask(
      target(peer, {
        input_guardrails: [denying, { ...without('other'), sequential: true }],
        input_mutators: [{ 'test-probe.swaps': { from: 'a', to: 'b' } }],
      }),
      says('bad'),
    );
    assert.deepEqual([reply.status, resultsOf(reply).length, peer.requests.length], [446, 1, 0]);
  });
});

describe('a denied reply', () => {
  for (const [name, { path, body, error }] of answering) {
    it(`is replaced by 446 and the results, in the format of ${name}`, async (t) => {
      const { ask } = await guarded(t);
      const reply = await ask({ input_guardrails: [without('other')], output_guardrails: [denying] }, body('so bad'), {
        path,
      });
      const { hook_results: _, request_id: __, ...rest } = reply.json;
      assert.deepEqual([reply.status, rest], [446, error]);
      assert.deepEqual([resultsOf(reply).length, resultsOf(reply, 'after').length], [1, 1]);
    });
  }

  it('says in the record that it was denied, with the tokens that were spent', async (t) => {
    const { ask, records } = await guarded(t);
    await ask({ output_guardrails: [denying] }, says('bad'));
    const [record] = await records(1);
    assert.deepEqual([record?.status, record?.error, record?.provider], [446, 'guardrail_denied', 'echo']);
    assert.ok((record?.usage?.output ?? 0) > 0);
  });
});

describe('a guardrail that fails and does not deny', () => {
  for (const [name, { path, body }] of Object.entries(routes)) {
    it(`lets the reply through with 246 and the results, in the format of ${name}`, async (t) => {
      const { ask } = await guarded(t);
      const plain = await ask({}, body('bad'), { path });
      const reply = await ask({ input_guardrails: [without('bad')] }, body('bad'), { path });
      assert.equal(reply.status, 246);
      assert.deepEqual(Object.keys(reply.json), [...Object.keys(plain.json), 'hook_results']);
      assert.equal(resultsOf(reply)[0]?.verdict, false);
    });
  }

  it('on the reply gives 246 too', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask({ output_guardrails: [without('bad')] }, says('bad'));
    assert.deepEqual([reply.status, said(reply), resultsOf(reply, 'after')[0]?.verdict], [246, 'bad', false]);
  });
});

describe('guardrails that pass', () => {
  it('leave 200, with their results at the end of the body', async (t) => {
    const { ask } = await guarded(t);
    const reply = await ask({ input_guardrails: [without('bad')], output_guardrails: [without('bad')] }, says('good'));
    assert.deepEqual([reply.status, said(reply)], [200, 'good']);
    assert.deepEqual([resultsOf(reply).length, resultsOf(reply, 'after').length], [1, 1]);
    assert.equal(Object.keys(reply.json).at(-1), 'hook_results');
  });

  it('leave the bytes of the provider as they are, but for the results', async (t) => {
    const peer = await startPeer(t);
    const body =
      '{ "id":"x","object":"chat.completion","created":1,"model":"m", "choices":[ ],"odd":1.0,\n"usage":null }\n';
    peer.always({ body });
    const { ask } = await guarded(t);
    const config = target(peer, { strict_open_ai_compliance: false });
    assert.equal((await ask(config)).text, body);
    const reply = await ask({ ...config, output_guardrails: [without('bad')] });
    const results = JSON.stringify(reply.json.hook_results);
    assert.equal(reply.text, `${body.slice(0, body.lastIndexOf('}'))},"hook_results":${results}}`);
  });

  it('are not mentioned where none ran', async (t) => {
    const { ask } = await guarded(t);
    for (const config of [{}, { input_guardrails: [{ ...without('bad'), async: true }] }]) {
      const reply = await ask(config, says('bad'));
      assert.deepEqual([reply.status, 'hook_results' in reply.json], [200, false]);
    }
  });

  it('do not touch an error of the provider', async (t) => {
    const peer = await startPeer(t);
    peer.always({ status: 429, body: { error: { message: 'slow down, bad', type: 'r', param: null, code: null } } });
    const { ask } = await guarded(t);
    const lists = { input_guardrails: [without('bad')], output_guardrails: [denying] };
    const reply = await ask(target(peer, lists), says('bad'));
    const plain = await ask(target(peer), says('bad'));
    assert.deepEqual([reply.status, reply.json], [429, plain.json]);
  });
});

describe('the result of a hook', () => {
  const now = Date.parse('2026-03-04T05:06:07.089Z');

  it('has the documented members and no others', async (t) => {
    const { ask } = await guarded(t, {}, { now: () => now });
    const reply = await ask({
      input_guardrails: [{ id: 'mine', 'test-probe.needsNoText': {}, 'test-probe.later': {} }],
    });
    assert.deepEqual(resultsOf(reply), [
      {
        verdict: false,
        id: 'mine',
        transformed: false,
        checks: [
          {
            data: null,
            verdict: false,
            id: 'test-probe.needsNoText',
            execution_time: 0,
            transformed: false,
            created_at: '2026-03-04T05:06:07.089Z',
            fail_on_error: false,
          },
          {
            data: 'x',
            verdict: true,
            id: 'test-probe.later',
            execution_time: 0,
            transformed: false,
            created_at: '2026-03-04T05:06:07.089Z',
            fail_on_error: false,
          },
        ],
        feedback: null,
        execution_time: 0,
        async: false,
        type: 'guardrail',
        created_at: '2026-03-04T05:06:07.089Z',
        deny: false,
      },
    ]);
  });

  it('gives the feedback that was asked for, with the checks that came to it', async (t) => {
    const { ask } = await guarded(t);
    const checks = { contains: { operator: 'none', words: ['bad'] }, 'test-probe.later': {}, 'test-probe.crashes': {} };
    const rules = {
      on_fail: { feedback: { value: -3, weight: 0.5, metadata: { why: 'words' } } },
      on_success: { feedback: {} },
    };
    const feedback = async (content: string) =>
      resultsOf(await ask({ input_guardrails: [{ ...checks, ...rules }] }, says(content)))[0]?.feedback;
    assert.deepEqual(await feedback('bad'), {
      value: -3,
      weight: 0.5,
      metadata: {
        why: 'words',
        successfulChecks: 'test-probe.later',
        failedChecks: 'default.contains',
        erroredChecks: 'test-probe.crashes',
      },
    });
    assert.deepEqual(await feedback('good'), {
      value: 5,
      weight: 1,
      metadata: {
        successfulChecks: 'default.contains, test-probe.later',
        failedChecks: '',
        erroredChecks: 'test-probe.crashes',
      },
    });
  });
});

describe('a soft denial', () => {
  const soft = { ...without('bad', { soft_deny_200: true }), deny: true, message: 'I would rather not.' };
  const sides = ['input_guardrails', 'output_guardrails'] as const;

  for (const side of sides) {
    it(`is read as an answer by the SDK of OpenAI (${side})`, async (t) => {
      const gateway = await guarded(t);
      const client = gateway.openai({ 'x-gw-config': JSON.stringify({ provider: 'echo', [side]: [soft] }) });
      const chat = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'bad' }] });
      assert.deepEqual(
        [chat.choices[0]?.message.content, chat.choices[0]?.finish_reason],
        ['I would rather not.', 'stop'],
      );
      const completion = await client.completions.create({ model: 'm', prompt: 'bad' });
      assert.equal(completion.choices[0]?.text, 'I would rather not.');
      const response = await client.responses.create({ model: 'm', input: 'bad' });
      assert.deepEqual([response.output_text, response.status], ['I would rather not.', 'completed']);
    });

    it(`is read as an answer by the SDK of Anthropic (${side})`, async (t) => {
      const gateway = await guarded(t);
      const client = gateway.anthropic({ 'x-gw-config': JSON.stringify({ provider: 'echo', [side]: [soft] }) });
      const message = await client.messages.create({
        model: 'm',
        max_tokens: 9,
        messages: [{ role: 'user', content: 'bad' }],
      });
      const [block] = message.content;
      assert.deepEqual(
        [block?.type === 'text' && block.text, message.stop_reason],
        ['I would rather not.', 'end_turn'],
      );
    });
  }

  it('of a request is streamed where a stream was asked for', async (t) => {
    const gateway = await guarded(t);
    const headers = { 'x-gw-config': JSON.stringify({ provider: 'echo', input_guardrails: [soft] }) };
    const openai = gateway.openai(headers);
    const messages = [{ role: 'user' as const, content: 'bad' }];
    const chat = await openai.chat.completions.stream({ model: 'm', messages }).finalChatCompletion();
    assert.deepEqual(
      [chat.choices[0]?.message.content, chat.choices[0]?.finish_reason],
      ['I would rather not.', 'stop'],
    );
    const response = await openai.responses.stream({ model: 'm', input: 'bad' }).finalResponse();
    assert.equal(response.output_text, 'I would rather not.');
    let completion = '';
    for await (const chunk of await openai.completions.create({ model: 'm', prompt: 'bad', stream: true }))
      completion += chunk.choices[0]?.text ?? '';
    assert.equal(completion, 'I would rather not.');
    const anthropic = gateway.anthropic(headers);
    const message = await anthropic.messages.stream({ model: 'm', max_tokens: 9, messages }).finalMessage();
    const [block] = message.content;
    assert.deepEqual([block?.type === 'text' && block.text, message.stop_reason], ['I would rather not.', 'end_turn']);
  });

  it('has as many choices as were asked for', async (t) => {
    const gateway = await guarded(t);
    const client = gateway.openai({ 'x-gw-config': JSON.stringify({ provider: 'echo', input_guardrails: [soft] }) });
    const messages = [{ role: 'user' as const, content: 'bad' }];
    const told = ({ message, index }: { message: { content: string | null }; index: number }) => [
      index,
      message.content,
    ];
    const two = [
      [0, 'I would rather not.'],
      [1, 'I would rather not.'],
    ];
    const chat = await client.chat.completions.create({ model: 'm', messages, n: 2 });
    assert.deepEqual(chat.choices.map(told), two);
    const streamed = await client.chat.completions.stream({ model: 'm', messages, n: 2 }).finalChatCompletion();
    assert.deepEqual(streamed.choices.map(told), two);
    const completion = await client.completions.create({ model: 'm', prompt: ['bad', 'bad'], n: 2 });
    assert.equal(completion.choices.length, 4);
  });

  it('says the standard sentence where no other is given, shows the results, and never asks the provider', async (t) => {
    const peer = await startPeer(t);
    const { ask, records } = await guarded(t);
    const lists = { input_guardrails: [{ ...without('bad', { soft_deny_200: true }), deny: true }] };
    const reply = await ask(target(peer, lists), says('bad'));
    assert.deepEqual(
      [reply.status, said(reply), resultsOf(reply)[0]?.verdict, peer.requests.length],
      [200, text, false, 0],
    );
    const [record] = await records(1);
    assert.deepEqual([record?.status, record?.error, record?.guardrails?.[0]?.denied], [200, 'guardrail_denied', true]);
  });

  it('of a reply tells the tokens that the reply has taken, and of a request none', async (t) => {
    const peer = await startPeer(t);
    const { ask } = await guarded(t);
    const guard = { ...without('e', { soft_deny_200: true }), deny: true };
    const reply = await ask(target(peer, { output_guardrails: [guard] }));
    assert.deepEqual(
      [said(reply), asObject(reply.json.usage)?.prompt_tokens, asObject(reply.json.usage)?.completion_tokens],
      [text, 19, 10],
    );
    const request = await ask(target(peer, { input_guardrails: [guard] }), says('even'));
    assert.deepEqual([said(request), asObject(request.json.usage)?.total_tokens], [text, 0]);
  });

  it('may stand beside the parameters of the long form', async (t) => {
    const { ask } = await guarded(t);
    const check = { id: 'default.contains', soft_deny_200: true, parameters: { operator: 'none', words: ['bad'] } };
    const reply = await ask({ before_request_hooks: [{ deny: true, checks: [check] }] }, says('bad'));
    assert.deepEqual([reply.status, said(reply)], [200, text]);
  });

  const hard = { 'test-probe.needsNoText': {} };
  for (const [what, lists] of [
    ['in the same guardrail', [{ ...soft, ...hard }]],
    ['in another guardrail', [soft, { ...hard, deny: true }]],
  ] as const) {
    it(`is a hard one when another check fails ${what}`, async (t) => {
      const { ask } = await guarded(t);
      assert.equal((await ask({ input_guardrails: [...lists] }, says('bad'))).status, 446);
    });
  }

  it('is a hard one where the reply is no answer', async (t) => {
    const { ask } = await guarded(t);
    const body = routes.embeddings?.body('bad');
    assert.equal((await ask({ input_guardrails: [soft] }, body, { path: '/v1/embeddings' })).status, 446);
    const counted = await ask({ input_guardrails: [soft] }, says('bad'), { path: '/v1/messages/count_tokens' });
    assert.deepEqual([counted.status, errorOf(counted).type], [446, 'hooks_failed']);
  });

  it('covers a check without verdict that counts as denied', async (t) => {
    const { ask } = await guarded(t);
    const check = { 'test-probe.crashes': { soft_deny_200: true }, deny: true };
    const reply = await ask({ input_guardrails: [check] });
    assert.deepEqual([reply.status, said(reply)], [200, text]);
    assert.equal(asObjects(resultsOf(reply)[0]?.checks)[0]?.verdict, false);
  });
});

it('shows a webhook no credential of the body, and sends all of them to the provider', async (t) => {
  const hook = await startPeer(t);
  const peer = await startPeer(t);
  hook.always({ body: { verdict: true } });
  const { ask } = await guarded(t);
  const tools = [
    {
      type: 'mcp',
      server_label: 'l',
      server_url: 'https://a.example',
      authorization: 's3cret',
      headers: { a: 's3cret' },
    },
  ];
  const webhook = { 'default.webhook': { webhookURL: hook.origin } };
  const reply = await ask(
    target(peer, { input_guardrails: [webhook], output_guardrails: [webhook] }),
    { model: 'm', input: 'x', tools },
    { path: '/v1/responses', headers: { 'x-gw-metadata': JSON.stringify({ api_key: 's3cret' }) } },
  );
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(peer.requests[0]?.body.tools, tools);
  assert.equal(hook.requests.length, 2);
  for (const { bytes } of hook.requests) assert.doesNotMatch(bytes.toString(), /s3cret/);
});
