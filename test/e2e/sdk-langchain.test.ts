import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { asObject } from 'portcullis/sdk';
import { expectedOf } from '../support/expected.ts';
import type { TestGateway } from '../support/gateway.ts';
import type { Peer } from '../support/peer.ts';
import { route } from '../support/recorded-routes/cases.ts';
import { openRecorded, plain } from '../support/recorded-routes/world.ts';
import type { WireDialect } from '../support/recordings.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { suiteScope } from './suite-scope.ts';
import { openMatrix } from './wire-matrix.ts';

noUnhandledRejections();

const configuration = ({ url }: TestGateway, provider: string) => ({
  baseURL: `${url}/v1`,
  defaultHeaders: { 'x-gw-provider': `@${provider}` },
});
const common = { apiKey: 'portcullis', model: 'model-1', maxRetries: 0 };
const weather = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  },
});

const joined = (chunks: readonly AIMessageChunk[]): AIMessageChunk => chunks.reduce((one, other) => one.concat(other));

const usageOf = ({ usage_metadata: usage }: { readonly usage_metadata?: unknown }) => asObject(plain(usage));

describe('ChatOpenAI of LangChain', () => {
  const scope = suiteScope();
  let peer: Peer;
  let gateway: TestGateway;
  before(async () => {
    ({ peer, gateway } = await openMatrix(scope));
  });

  for (const wire of ['chat', 'messages', 'gemini'] satisfies WireDialect[]) {
    const chat = () => new ChatOpenAI({ ...common, configuration: configuration(gateway, wire) });

    it(`invokes a ${wire} vendor`, async () => {
      const message = await chat().invoke('Hello');
      const usage = usageOf(message);
      const expected = expectedOf(wire, 'text', false);
      assert.equal(message.text, expected.text);
      assert.deepEqual([usage?.input_tokens, usage?.output_tokens], [expected.input, expected.output]);
    });

    it(`streams from a ${wire} vendor`, async () => {
      const whole = joined(await Array.fromAsync(await chat().stream('Hello')));
      const expected = expectedOf(wire, 'text', true);
      assert.equal(whole.text, expected.text);
      assert.equal(usageOf(whole)?.output_tokens, expected.output);
    });

    for (const streamed of [false, true]) {
      it(`calls the tools that a ${wire} vendor asks for${streamed ? ' in a stream' : ''}`, async () => {
        const { calls } = expectedOf(wire, 'tools', streamed);
        const bound = chat().bindTools([...new Set(calls.map(({ name }) => name))].map(weather));
        // The option `streaming` would count tokens by itself, for which LangChain fetches a file from elsewhere.
        const ask = async (messages: BaseMessage[]) =>
          streamed ? joined(await Array.fromAsync(await bound.stream(messages))) : bound.invoke(messages);
        const question = new HumanMessage('Weather?');
        const asked = await ask([question]);
        assert.deepEqual(
          asked.tool_calls?.map(({ name, args }) => [name, args]),
          calls.map((call) => [call.name, call.arguments]),
        );
        const results = (asked.tool_calls ?? []).map(
          ({ id = '' }) => new ToolMessage({ content: '21 degrees', tool_call_id: id }),
        );
        const answer = await ask([question, asked, ...results]);
        assert.equal(answer.text, expectedOf(wire, 'text', streamed).text);
      });
    }
  }

  it('speaks responses where it is told to', async () => {
    const model = new ChatOpenAI({
      ...common,
      useResponsesApi: true,
      configuration: configuration(gateway, 'responses'),
    });
    const { text } = await model.invoke('Hello');
    assert.equal(text, expectedOf('responses', 'text', false).text);
    assert.equal(peer.requests.at(-1)?.url, '/v1/responses');
  });

  it('says explicitly that it wants no stream', async () => {
    await new ChatOpenAI({ ...common, configuration: configuration(gateway, 'chat') }).invoke('Hello');
    assert.equal(peer.requests.at(-1)?.body.stream, false);
  });

  it('gets errors with their status', async () => {
    peer.next({ status: 429, body: { error: { type: 'rate_limit_error', message: 'Slow down.' } } });
    const model = new ChatOpenAI({ ...common, configuration: configuration(gateway, 'chat') });
    await assert.rejects(model.invoke('Hello'), (error) => {
      assert.equal(asObject({ ...(error as object) })?.status, 429);
      assert.match(String(error), /Slow down/);
      return true;
    });
  });
});

describe('OpenAIEmbeddings of LangChain', () => {
  const scope = suiteScope();
  const numbers = [0.5, -0.25];
  const embedding = Buffer.from(new Float32Array(numbers).buffer).toString('base64');
  const reply = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 1, total_tokens: 1 },
  };

  it('embeds a text and a list of them', async () => {
    const openai = [['Hi'], 'Ho'].map((input) =>
      route('POST', '/v1/embeddings', reply, {
        body: { model: 'text-embedding-3-small', input, encoding_format: 'base64' },
      }),
    );
    const { gateway } = await openRecorded(scope, { openai });
    const model = new OpenAIEmbeddings({
      ...common,
      model: 'text-embedding-3-small',
      configuration: configuration(gateway, 'openai'),
    });
    assert.deepEqual(await model.embedDocuments(['Hi']), [numbers]);
    assert.deepEqual(await model.embedQuery('Ho'), numbers);
  });
});
