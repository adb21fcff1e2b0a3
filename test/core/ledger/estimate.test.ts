import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { DialectName, JsonObject } from 'portcullis/sdk';
import { countText, tokensByLength } from '../../../core/ledger/count-text.ts';
import { estimateUsage } from '../../../core/ledger/estimate.ts';
import { TokenCounter } from '../../../core/ledger/token-counter.ts';

const counter = new TokenCounter();
after(() => counter.close());

const tokens = (text: string) => countTokens(text, { disallowedSpecial: new Set() });
const replied = (text: string, times = 1) => ({ said: { texts: [text], tokens: 0 }, times });
const estimate = (dialect: DialectName, asked: JsonObject, text = 'It is sunny.', times = 1) =>
  estimateUsage(counter, { asked, dialect, replied: replied(text, times) });

const system = 'You are a weather service.';
const question = 'What is the weather like in Paris?';
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const tool = { name: 'get_weather', description: 'Tells the weather.' };
const toolText = `get_weather Tells the weather. ${JSON.stringify(schema)}`;
const image = `data:image/png;base64,${'A'.repeat(100_000)}`;

describe('an estimate', () => {
  const requests: readonly (readonly [DialectName, JsonObject, readonly string[], number])[] = [
    [
      'chat',
      {
        model: 'm',
        messages: [
          { role: 'system', content: system },
          {
            role: 'user',
            content: [
              { type: 'text', text: question },
              { type: 'image_url', image_url: { url: image } },
            ],
          },
        ],
        tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
      },
      [system, question, toolText],
      2,
    ],
    [
      'messages',
      {
        model: 'm',
        max_tokens: 9,
        system,
        messages: [{ role: 'user', content: question }],
        tools: [{ ...tool, input_schema: schema }],
      },
      [system, question, toolText],
      2,
    ],
    [
      'responses',
      { model: 'm', instructions: system, input: question, tools: [{ type: 'function', ...tool, parameters: schema }] },
      [system, question, toolText],
      2,
    ],
    ['completions', { model: 'm', prompt: question }, [question], 1],
  ];
  for (const [dialect, asked, texts, messages] of requests) {
    it(`counts what a ${dialect} request says, the frames of its messages, and no picture`, async () => {
      const usage = await estimate(dialect, asked);
      const input = tokens(texts.join('\n')) + messages * 4 + 3;
      const output = tokens('It is sunny.');
      assert.deepEqual(usage, { input, output, total: input + output });
    });
  }

  it('counts the texts and the token numbers of embeddings', async () => {
    assert.equal((await estimate('embeddings', { model: 'm', input: ['One text', 'and two'] }, '')).input, 5);
    const numbers = [
      [1, 2, 3],
      [4, 5],
    ];
    assert.equal((await estimate('embeddings', { model: 'm', input: numbers }, '')).input, 5);
  });

  it('counts the strings of a request that has no neutral form', async () => {
    const { input } = await estimate('completions', { model: 'm', prompt: ['One.', 'Two.'], echo: true });
    assert.ok(input >= tokens('One.') + tokens('Two.') && input < 20, String(input));
  });

  it('keeps what the provider has told of the input', async () => {
    const told = { input: 2013, output: 1, cacheRead: 1800, cacheWrite: 188 };
    const usage = await estimateUsage(counter, { asked: {}, dialect: 'messages', replied: replied('One two'), told });
    assert.deepEqual(usage, { ...told, output: 2, total: 2015 });
    const more = { ...told, output: 500 };
    const thinking = await estimateUsage(counter, {
      asked: {},
      dialect: 'messages',
      replied: replied('One'),
      told: more,
    });
    assert.equal(thinking.output, 500);
  });

  it('takes a long text to be like its beginning, and a reply to be like what was kept of it', async () => {
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
    const { output } = await estimate('chat', { model: 'm', messages: [] }, text);
    assert.ok(Math.abs(output / 200_000 - 1) < 0.01, String(output));
    assert.equal((await estimate('chat', { model: 'm', messages: [] }, 'One two three', 3)).output, 9);
  });

  it('takes special tokens for the text that they are in a message', async () => {
    const { output } = await estimate('chat', { model: 'm', messages: [] }, 'a <|endoftext|> b <|im_start|>');
    assert.equal(output, tokens('a <|endoftext|> b <|im_start|>'));
  });
});

describe('a text', () => {
  it('is counted by the tokenizer', () => assert.equal(countText(question, tokens), tokens(question)));

  it('with a run that would hold a tokenizer up is told by its length there', () => {
    const asked: string[] = [];
    const seen = (text: string) => {
      asked.push(text);
      return tokens(text);
    };
    const run = 'a'.repeat(40_000);
    assert.equal(countText(`Before ${run} after`, seen), tokens('Before ') + 10_000 + tokens(' after'));
    assert.deepEqual(asked, ['Before ', ' after']);
    for (const same of ['!', ' ', 'ß']) {
      countText(same.repeat(5000), (text) => {
        assert.equal(text, '');
        return 0;
      });
    }
  });
});

describe('the counter', () => {
  it('answers each of many questions at once', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => 'word '.repeat(index));
    const answers = await Promise.all(texts.map((text) => counter.count([text, question])));
    assert.deepEqual(
      answers,
      texts.map((text) => [tokens(text), tokens(question)]),
    );
  });

  it('does with lengths when it is closed, before an answer or for good', async () => {
    const closing = new TokenCounter();
    const asked = closing.count([question]);
    await closing.close();
    assert.deepEqual(await asked, [tokensByLength(question)]);
    assert.deepEqual(await closing.count([question]), [tokensByLength(question)]);
  });
});
