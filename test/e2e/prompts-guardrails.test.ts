import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { completion } from '../plugins/cache/serving.ts';
import { resultsOf, said, textsIn, without } from '../plugins/guardrails/guarded.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { refusal } from './control/world.ts';
import { partsOf, world } from './prompts-world.ts';

noUnhandledRejections();

const lenient = { 'x-gw-strict-open-ai-compliance': 'false' };
const seeing: JsonObject = { 'test-probe.sees': {} };

describe('guardrails around a prompt', () => {
  it('look at the text as it is filled in', async (t) => {
    const { prompt, complete, config, peer } = await world(t);
    const { slug } = await prompt();
    const headers = await config({ input_guardrails: [seeing] });
    const reply = await complete(String(slug), {}, { ...headers, ...lenient });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(textsIn(reply), ['Greet Ada "the first".']);
    const all = await config({ input_guardrails: [{ 'test-probe.sees': { scan_scope: 'all_messages' } }] });
    const text = await prompt({ string: 'Line for {{name}}', template_metadata: { template_type: 'text' } });
    peer.always({ body: { id: 'c', object: 'text_completion', choices: [{ index: 0, text: 'Hej' }] } });
    const line = await complete(String(text.slug), {}, { ...all, ...lenient });
    assert.deepEqual(textsIn(line), ['Line for Ada "the first"'], line.text);
  });

  it('deny what comes in by a variable, before anything is sent', async (t) => {
    const { prompt, complete, config, peer } = await world(t);
    const headers = await config({ input_guardrails: [{ ...without('Greet badword'), deny: true }] });
    const chat = await prompt();
    const text = await prompt({ string: 'Greet {{name}}', template_metadata: { template_type: 'text' } });
    for (const { slug } of [chat, text]) {
      for (const stream of [false, true]) {
        const body = { stream, variables: { language: 'Danish', name: 'badword' } };
        const reply = await complete(String(slug), body, headers);
        const { message } = refusal(reply, 446);
        assert.ok(message.length > 0);
        assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
        assert.deepEqual(Object.keys(reply.json).toSorted(), ['error', 'hook_results']);
        assert.equal(resultsOf(reply)[0]?.verdict, false);
      }
    }
    assert.equal(peer.requests.length, 0);
    assert.equal((await complete(String(chat.slug), {}, headers)).status, 200);
  });

  it('that the workspace has for all hold, whatever the prompt and its caller say', async (t) => {
    const { prompt, complete, ask, shop, peer } = await world(t);
    const { slug } = await prompt();
    const guardrail = await ask('POST', '/v1/guardrails', {
      name: 'No bad word',
      workspace_id: shop.workspaceId,
      checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['badword'] } }],
      actions: { deny: true, on_success: {}, on_fail: {} },
    });
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, {
      defaults: { input_guardrails: [String(guardrail.slug)] },
    });
    const bad = { variables: { language: 'bad', name: 'badword' } };
    const ways = [{}, { 'x-gw-virtual-key': shop.provider }, { 'x-gw-config': shop.config }];
    for (const headers of ways) refusal(await complete(String(slug), bad, headers), 446);
    assert.equal(peer.requests.length, 0);
    assert.equal((await complete(String(slug))).status, 200);
  });

  it('change the reply and tell of it, in the completion and beside it alike', async (t) => {
    const { prompt, complete, config, peer } = await world(t);
    const { slug } = await prompt();
    peer.always({ body: completion('It is secret123.') });
    const mask = { 'default.regexReplace': { rule: 'secret123', redactText: '***' } };
    const headers = await config({ input_guardrails: [seeing], output_guardrails: [mask] });
    for (const strictness of [{}, lenient]) {
      const { status, body, own } = partsOf(await complete(String(slug), {}, { ...headers, ...strictness }));
      assert.equal(status, 'success');
      assert.deepEqual(body, own);
      assert.equal(said({ json: own }), 'It is ***.');
      assert.equal(resultsOf({ json: own }, 'before').length, 1);
      assert.equal(resultsOf({ json: own }, 'after').length, 1);
    }
  });

  it('deny a reply, whole or streamed', async (t) => {
    const { prompt, complete, config, peer } = await world(t);
    const { slug } = await prompt();
    const chunk = (delta: JsonObject, finish_reason: string | null) =>
      `data: ${JSON.stringify({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta, finish_reason }],
      })}\n\n`;
    const events = (content: string) => [
      chunk({ role: 'assistant', content }, null),
      chunk({}, 'stop'),
      'data: [DONE]\n\n',
    ];
    const serves = (content: string) =>
      peer.always(({ body }) => (body.stream === true ? { events: events(content) } : { body: completion(content) }));
    const guard = { ...without('swordfish'), deny: true, stream_mode: 'window' };
    const headers = await config({ output_guardrails: [guard] });
    for (const stream of [false, true]) {
      serves('It is swordfish.');
      const denied = await complete(String(slug), { stream }, headers);
      refusal(denied, 446);
      assert.equal(resultsOf(denied, 'after')[0]?.verdict, false);
      assert.equal(denied.text.includes('swordfish.'), false);
      serves('It is herring.');
      const passed = await complete(String(slug), { stream }, headers);
      assert.equal(passed.status, 200, passed.text);
      assert.match(passed.text, /It is herring\./);
      assert.equal(passed.text.includes('"status":"success"'), !stream);
    }
  });
});
