import type { JsonObject } from 'portcullis/sdk';
import { type CheckHostOptions, testCheck } from 'portcullis/sdk/testing';
import webhook from '../../../guardrails/default/webhook.ts';
import { empty, json, manifest } from './replies.ts';

const config = { webhookURL: 'https://hook.test/check', headers: { authorization: 'Bearer abc' } };
const answers = (body: JsonObject): CheckHostOptions => ({ manifest, fetch: () => json(body) });
const message = (content: string) => ({ role: 'user', content });
const before = {
  texts: [{ text: 'My name is Ada.' }, { text: 'Call me' }],
  body: { model: 'm', temperature: 0.5, messages: [message('My name is Ada.'), message('Call me')] },
};
const changed = (...contents: string[]) => ({ ...before.body, messages: contents.map(message) });
const asks = (request: JsonObject) => answers({ verdict: true, transformedData: { request: { json: request } } });
const after = {
  phase: 'afterRequest' as const,
  text: 'Ada says hi.',
  body: before.body,
  reply: { choices: [{ index: 0, message: { role: 'assistant', content: 'Ada says hi.' } }] },
};
const replied = (content: string) => ({ choices: [{ index: 0, message: { role: 'assistant', content } }] });

testCheck(webhook, {
  pass: [
    {
      name: 'with a verdict',
      config,
      host: answers({ verdict: true, data: { score: 1 } }),
      data: { explanation: 'The webhook agrees.', verdict: true, responseData: { score: 1 } },
    },
    { name: 'without headers', config: { webhookURL: 'http://hook.test' }, host: answers({ verdict: true }) },
    {
      name: 'with a changed text',
      input: before,
      config,
      host: asks(changed('My name is ***.', 'Call me')),
      edited: ['My name is ***.', 'Call me'],
    },
    {
      name: 'with the body as it was',
      input: before,
      config,
      host: asks(before.body),
      edited: ['My name is Ada.', 'Call me'],
    },
    {
      name: 'with a text that stands twice and changes in both places',
      input: { texts: [{ text: 'Ada' }, { text: 'Ada' }], body: { messages: [message('Ada'), message('Ada')] } },
      config,
      host: asks({ messages: [message('*'), message('*')] }),
      edited: ['*', '*'],
    },
    {
      name: 'with a changed reply, and the request sent back as it was',
      input: after,
      config,
      host: answers({
        verdict: true,
        transformedData: { request: { json: before.body }, response: { json: replied('*** says hi.') } },
      }),
      edited: ['*** says hi.'],
    },
    {
      name: 'with nulls in the place of bodies',
      input: after,
      config,
      host: answers({ verdict: true, transformedData: { request: { json: null }, response: { json: null } } }),
    },
  ],
  fail: [
    {
      name: 'with a verdict',
      config,
      host: answers({ verdict: false, data: 'why' }),
      data: { explanation: 'The webhook does not agree.', verdict: false, responseData: 'why' },
    },
    {
      name: 'with a changed text too',
      input: before,
      config,
      host: answers({ verdict: false, transformedData: { request: { json: changed('My name is ***.', 'Call me') } } }),
      edited: ['My name is ***.', 'Call me'],
    },
  ],
  error: [
    { name: 'no verdict', config, host: answers({ ok: true }), message: /verdict that is true or false/ },
    { name: 'a verdict that is a word', config, host: answers({ verdict: 'true' }), code: 'check_failed' },
    { name: 'an error status', config, host: { fetch: () => empty(500) }, code: 'check_failed' },
    { name: 'a body that is no object', config, host: { fetch: () => json([true]) }, code: 'check_failed' },
    {
      name: 'no answer in time',
      config,
      host: { fetch: () => new Promise<never>(() => {}), signal: AbortSignal.timeout(20) },
      code: 'check_failed',
    },
    {
      name: 'a message more',
      input: before,
      config,
      host: asks(changed('My name is Ada.', 'Call me', 'x')),
      message: /length of a list/,
    },
    {
      name: 'a member more',
      input: before,
      config,
      host: asks({ ...before.body, top_p: 1 }),
      message: /members of an object/,
    },
    {
      name: 'another member',
      input: before,
      config,
      host: asks({ model: 'm', top_p: 0.5, messages: before.body.messages }),
      message: /members of an object/,
    },
    {
      name: 'another number',
      input: before,
      config,
      host: asks({ ...before.body, temperature: 1 }),
      message: /no text/,
    },
    {
      name: 'another model',
      input: before,
      config,
      host: asks({ ...before.body, model: 'n' }),
      message: /no text in scope/,
    },
    {
      name: 'another role',
      input: before,
      config,
      host: asks({ ...before.body, messages: [{ role: 'system', content: 'My name is Ada.' }, message('Call me')] }),
      message: /./,
      code: 'check_failed',
    },
    {
      name: 'a list in the place of a text',
      input: before,
      config,
      host: asks({ ...before.body, messages: [{ role: 'user', content: [] }, message('Call me')] }),
      code: 'check_failed',
    },
    {
      name: 'one of two equal texts changed',
      input: { texts: [{ text: 'Ada' }, { text: 'Ada' }], body: { messages: [message('Ada'), message('Ada')] } },
      config,
      host: asks({ messages: [message('Ada'), message('*')] }),
      message: /change alike/,
    },
    {
      name: 'a text that also stands out of scope',
      input: { texts: [{ text: 'Ada' }], body: { messages: [message('Ada'), message('Ada')] } },
      config,
      host: asks({ messages: [message('*'), message('*')] }),
      message: /in scope/,
    },
    {
      name: 'a reply before there is one',
      input: before,
      config,
      host: answers({ verdict: true, transformedData: { response: { json: {} } } }),
      message: /before there is one/,
    },
    {
      name: 'a request that has left',
      input: after,
      config,
      host: asks(changed('x', 'Call me')),
      code: 'check_failed',
    },
    {
      name: 'the reply of a stream',
      input: { ...after, reply: undefined, stream: true },
      config,
      host: answers({ verdict: true, transformedData: { response: { json: replied('x') } } }),
      message: /stream/,
    },
    ...['x', [], 7].map((transformedData) => ({
      name: `transformed data that is ${JSON.stringify(transformedData)}`,
      input: before,
      config,
      host: answers({ verdict: true, transformedData }),
      message: /a transformedData that is an object/,
    })),
    {
      name: 'a transformed body that is no object',
      input: before,
      config,
      host: answers({ verdict: true, transformedData: { request: { json: 'x' } } }),
      message: /transformedData\.request\.json/,
    },
  ],
  refused: [
    { config: {}, message: /webhookURL/ },
    { config: { webhookURL: 'hook.test' }, message: /webhookURL/ },
    { config: { ...config, headers: '{' }, message: /headers must be an object/ },
  ],
});
