import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { effectiveConfig } from '../../core/config/effective.ts';
import { createGateway } from '../../core/gateway.ts';
import { silentLog } from '../../core/log.ts';
import { noUnhandledRejections } from '../support/rejections.ts';

noUnhandledRejections();

const hello = [{ role: 'user', content: 'Hello there' }];

const routes = [
  { path: 'chat/completions', body: { messages: hello }, end: 'data: [DONE]\n\n' },
  { path: 'completions', body: { prompt: 'Hello there' }, end: 'data: [DONE]\n\n' },
  { path: 'messages', body: { messages: hello, max_tokens: 50 }, end: 'event: message_stop\n' },
  { path: 'responses', body: { input: 'Hello there' }, end: 'event: response.completed\n' },
];

describe('the embedded defaults', () => {
  for (const { path, body, end } of routes) {
    for (const model of ['echo', 'echo-chunk-delay-1', 'echo-think', 'echo-large-40']) {
      it(`stream ${path} from ${model} to its one proper end`, async (t) => {
        const gateway = await createGateway(effectiveConfig(undefined, { PORT: 0 }), { log: silentLog });
        t.after(() => gateway.close());
        const { url } = await gateway.listen();
        const reply = await fetch(`${url}/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: 'Bearer portcullis' },
          body: JSON.stringify({ model, ...body, stream: true }),
        });
        const text = await reply.text();
        assert.equal(reply.status, 200);
        assert.equal(text.split(end).length - 1, 1, text.slice(-500));
        assert.doesNotMatch(text, /"error":\{|event: error/);
        const whole = await fetch(`${url}/v1/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model, ...body }),
        });
        assert.equal(whole.status, 200);
        assert.match(await whole.text(), model === 'echo' ? /Hello there/ : /./);
      });
    }
  }
});
