import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JsonObject } from 'portcullis/sdk';
import { startGateway } from '../support/gateway.ts';
import { pairings, servedOnly } from '../support/pairings.ts';
import { startPeer } from '../support/peer.ts';
import { recordedReply, recordedStream, type WireDialect } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

/** What the makers of the formats take, by their public documentation. */
const taken: Readonly<Record<WireDialect, RegExp>> = {
  chat: /^[a-zA-Z0-9_-]{1,64}$/,
  responses: /^[a-zA-Z0-9_-]{1,128}$/,
  messages: /^[a-zA-Z0-9_-]{1,128}$/,
  gemini: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};

const schema = { type: 'object', properties: { location: { type: 'string' } } };

/** A conversation that has the tool, has called it, and wants it called again. */
const asked: Readonly<Record<'messages' | 'responses', (name: string) => JsonObject>> = {
  messages: (name) => ({
    model: 'gemini-3-pro-preview',
    max_tokens: 99,
    tools: [{ name, input_schema: schema }],
    tool_choice: { type: 'tool', name },
    messages: [
      { role: 'user', content: 'Paris?' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name, input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'Sunny.' }] },
    ],
  }),
  responses: (name) => ({
    model: 'gemini-3-pro-preview',
    tools: [{ type: 'function', name, parameters: schema }],
    tool_choice: { type: 'function', name },
    input: [
      { role: 'user', content: 'Paris?' },
      { type: 'function_call', call_id: 'call_1', name, arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'Sunny.' },
    ],
  }),
};

/** What clients of the formats may call their tools, and other makers do not take. */
const names: Readonly<Record<'messages' | 'responses', readonly string[]>> = {
  messages: [`mcp__weather__${'forecast_of_the_city_'.repeat(4)}today`, '2weather.forecast/today'],
  responses: [`mcp__weather__${'forecast_of_the_city_'.repeat(4)}today`],
};

for (const { dialect, wire, provider, path, title } of pairings) {
  if (dialect === 'chat' || dialect === wire) continue;
  describe(`a tool whose name the provider does not take: ${title}`, () => {
    const start = async (t: TestContext) => {
      const peer = await startPeer(t);
      const gateway = await startGateway(t, servedOnly({ provider, wire }, peer));
      const ask = async (name: string, stream: boolean) => {
        const { status, text } = await gateway.post(path, { ...asked[dialect](name), stream });
        assert.equal(status, 200, text);
        return text;
      };
      return { peer, ask };
    };

    for (const name of names[dialect].filter((given) => !taken[wire].test(given))) {
      it(`has one that it takes, and is called by its own: ${name}`, async (t) => {
        const { peer, ask } = await start(t);
        await ask(name, false);
        const sent = JSON.stringify(peer.requests[0]?.body);
        assert.ok(!sent.includes(name), sent);
        const [known = '', ...others] = new Set(sent.match(/[\w.:-]*(?:mcp__weather__|weather_forecast)[\w.:-]*/g));
        assert.deepEqual(others, []);
        assert.match(known, taken[wire]);

        const renamed = (text: string) => text.replaceAll(/get_(?:current_)?weather/g, known);
        peer.next({ body: renamed(recordedReply(wire, 'tools')) });
        peer.next({ events: recordedStream(wire, 'tools').map(renamed) });
        for (const stream of [false, true]) {
          const text = await ask(name, stream);
          assert.ok(text.includes(`"${name}"`), text);
          assert.ok(!text.includes(known), text);
        }
      });
    }

    it('keeps a name that it takes', async (t) => {
      const { peer, ask } = await start(t);
      await ask('get_weather', false);
      assert.ok(JSON.stringify(peer.requests[0]?.body).includes('"get_weather"'));
    });
  });
}
