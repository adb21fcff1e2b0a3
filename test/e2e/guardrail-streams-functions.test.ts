import assert from 'node:assert/strict';
import { it } from 'node:test';
import { guarded, without } from '../plugins/guardrails/guarded.ts';
import { startPeer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { target } from '../support/routed.ts';

noUnhandledRejections();

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const events = [
  chunk({ role: 'assistant', content: null, function_call: { name: 'weather', arguments: '' } }),
  chunk({ function_call: { arguments: '{"city":' } }),
  chunk({ function_call: { arguments: '"Bergen"}' } }),
  chunk({}, 'function_call'),
  'data: [DONE]\n\n',
];

it('a window gives clients of the deprecated functions the call in the form that they know', async (t) => {
  const peer = await startPeer(t);
  peer.next({ events });
  const gateway = await guarded(t);
  const config = target(peer, { output_guardrails: [{ ...without('bad'), stream_mode: 'window' }] });
  const client = gateway.openai({ 'x-gw-config': JSON.stringify(config) });
  const stream = await client.chat.completions.create({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'x' }],
    functions: [{ name: 'weather', parameters: { type: 'object' } }],
  });
  let called = '';
  const reasons = [];
  for await (const { choices } of stream) {
    const [choice] = choices;
    assert.equal(choice?.delta.tool_calls, undefined);
    called += (choice?.delta.function_call?.name ?? '') + (choice?.delta.function_call?.arguments ?? '');
    if (choice?.finish_reason) reasons.push(choice.finish_reason);
  }
  assert.deepEqual([called, reasons], ['weather{"city":"Bergen"}', ['function_call']]);
});
