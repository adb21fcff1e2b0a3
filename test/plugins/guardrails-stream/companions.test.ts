import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Delta, dialects, type JsonObject, parseJson, sseFrame } from 'portcullis/sdk';
import type { ClientFormat } from '../../../plugins/guardrails/stream/events.ts';
import {
  citation,
  deny,
  end,
  finish,
  mask,
  pass,
  start,
  text,
  textOf,
  understood,
  windows,
  wireOf,
} from './windows.ts';

const call = (block: number, custom = false): Delta => ({
  type: 'tool-call',
  choice: 0,
  block,
  id: `call_${block}`,
  name: 'send',
  ...(custom ? { custom } : {}),
});
const args = (block: number, said: string): Delta => ({ type: 'tool-arguments', choice: 0, block, text: said });
const logprob = (token: string): Delta => ({
  type: 'logprobs',
  choice: 0,
  logprobs: { content: [{ token, logprob: -0.1, bytes: null, top_logprobs: [] }] },
});

const chunkOf = (choice: JsonObject) =>
  sseFrame(JSON.stringify({ id: 'chatcmpl-1', created: 1_700_000_000, model: 'm', choices: [choice] }));

function through(look: ReturnType<typeof mask>, deltas: readonly Delta[], dialect: ClientFormat = dialects.chat) {
  const { source, client } = windows(look, { tokens: 8, overlap: 4 }, { dialect });
  for (const event of wireOf(deltas, dialect).split(/(?<=\n\n)/)) source.push(event);
  source.end();
  return { bytes: client.bytes, steps: understood(client.bytes, dialect) };
}

describe('what a stream says in the place of the name of a tool', () => {
  const steps = [start, { ...call(0), name: 'write to jane@example.org' }, args(0, '{}'), finish(), end];
  for (const dialect of [dialects.chat, dialects.messages, dialects.responses]) {
    it(`is masked: ${dialect.name}`, () => {
      const { bytes, steps: got } = through(mask(/jane@[\w.]+/g), steps, dialect);
      assert.doesNotMatch(bytes, /jane/);
      const named = got.find(({ type }) => type === 'tool-call');
      assert.equal(named?.type === 'tool-call' ? named.name : undefined, 'write to [X]');
      assert.equal(textOf(got, 'tool-arguments'), '{}');
    });

    it(`is denied: ${dialect.name}`, async () => {
      const { source, client, opened } = windows(deny(/jane/), {}, { dialect });
      source.push(wireOf(steps, dialect));
      source.end();
      assert.equal(await opened, true);
      assert.equal(client.bytes, '');
    });
  }
});

describe('arguments of tools', () => {
  const masked = (said: string, pattern: RegExp, replacement?: string) => {
    const pieces = said.match(/[\s\S]{1,3}/g) ?? [];
    const deltas = [start, call(0), ...pieces.map((piece) => args(0, piece)), finish(), end];
    return textOf(through(mask(pattern, replacement), deltas).steps, 'tool-arguments');
  };

  it('stay JSON when a replacement holds what JSON escapes', () => {
    const said = masked('{"to":"jane@example.org","text":"a long text behind it"}', /\w+@[\w.]+/g, '"\n\\');
    assert.deepEqual(parseJson(said), { to: '"\n\\', text: 'a long text behind it' });
  });

  it('stay JSON when a match begins or ends inside an escape sequence', () => {
    assert.deepEqual(parseJson(masked('{"text":"mail:\\njane@example.org, and more of it"}', /[\w]+@[\w.]+/g)), {
      text: 'mail:[X], and more of it',
    });
    assert.deepEqual(parseJson(masked('{"text":"caf\\u0001jane@example.org"}', /\w+@[\w.]+/g)), { text: 'caf[X]' });
    assert.deepEqual(parseJson(masked('{"text":"a b\\\\c d e f g h i j k l m n"}', /b\\/g)), {
      text: 'a [X]c d e f g h i j k l m n',
    });
  });

  it('are never sent when a change would break them', () => {
    const deltas = [start, call(0), args(0, '{"card":4111111111111111,"text":"x"}'), finish(), end];
    const { bytes, steps } = through(mask(/4111\d+/g), deltas);
    assert.doesNotMatch(bytes, /4111/);
    assert.equal(steps.at(-1)?.type, 'fault');
  });

  it('that are free text are changed as text', () => {
    const deltas = [start, call(0, true), args(0, '{say "jane" and nothing else but that}'), finish(), end];
    assert.equal(
      textOf(through(mask(/"jane"/g, '"X"'), deltas).steps, 'tool-arguments'),
      '{say "X" and nothing else but that}',
    );
  });

  it('keep their place between texts and other calls', () => {
    for (const dialect of [dialects.chat, dialects.messages, dialects.responses]) {
      const deltas = [
        start,
        text('First a text. '),
        call(1),
        args(1, '{"a":'),
        args(1, '"one"}'),
        call(2),
        args(2, '{"b":"two, which is much longer than a window is allowed to be"}'),
        finish(),
        end,
      ];
      const { steps } = through(pass, deltas, dialect);
      const order = steps.flatMap((step) => ('block' in step ? [`${step.block} ${step.type}`] : []));
      assert.deepEqual(
        [...new Set(order)],
        ['0 text', '1 tool-call', '1 tool-arguments', '2 tool-call', '2 tool-arguments'],
      );
      const said = steps.map((step) => (step.type === 'tool-arguments' && step.block === 2 ? step.text : '')).join('');
      assert.deepEqual(parseJson(said), { b: 'two, which is much longer than a window is allowed to be' });
    }
  });
});

describe('thinking', () => {
  it('keeps its signature, and its item', () => {
    const deltas: readonly Delta[] = [
      start,
      { type: 'thinking', choice: 0, block: 0, text: 'First I think for a long while, longer than a window.' },
      { type: 'signature', choice: 0, block: 0, signature: 'c2ln' },
      { type: 'redacted-thinking', choice: 0, block: 1, data: 'cmVk' },
      text('Then I say something.', 0, 2),
      finish(),
      end,
    ];
    const { steps } = through(pass, deltas, dialects.messages);
    assert.equal(textOf(steps, 'thinking'), 'First I think for a long while, longer than a window.');
    assert.equal(textOf(steps), 'Then I say something.');
    assert.ok(steps.some((step) => step.type === 'signature' && step.signature === 'c2ln'));
    assert.ok(steps.some((step) => step.type === 'redacted-thinking' && step.data === 'cmVk'));
  });

  it('without a text of its own keeps the id of its item', () => {
    const { source, client } = windows(pass, {}, { dialect: dialects.responses });
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2ln' };
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'in_progress', output: [] };
    const events = [
      { type: 'response.created', response },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, encrypted_content: '' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, status: 'completed', output: [item] } },
    ];
    source.push(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    source.end();
    assert.match(client.bytes, /"id":"rs_1"/);
    assert.match(client.bytes, /c2ln/);
  });
});

describe('what goes alongside a text', () => {
  const said = ['Write ', 'to ', 'jane', '@example', '.org', ' about ', 'everything ', 'that ', 'there ', 'is ', 'now'];
  const spoken = [start, ...said.flatMap((word) => [logprob(word), text(word)]), finish(), end];

  it('stays with it: log probabilities', () => {
    const tokens = through(pass, spoken).steps.flatMap((step) =>
      step.type === 'logprobs' ? (step.logprobs.content as { token: string }[]).map(({ token }) => token) : [],
    );
    assert.deepEqual(tokens, said);
  });

  it('does not tell what was masked', () => {
    const { bytes, steps } = through(mask(/jane@[\w.]+/g), spoken);
    assert.doesNotMatch(bytes, /jane|@example|\.org/);
    assert.match(textOf(steps), /^Write to \[X\] about everything/);
    assert.ok(
      steps.some(({ type }) => type === 'logprobs'),
      'those of what went out before are kept',
    );
  });

  const tokensOf = (word: string): Delta => ({ type: 'extra', choice: 0, fields: { logprobs: { tokens: [word] } } });
  const orders: Readonly<Record<string, readonly Delta[]>> = {
    'before its text': spoken,
    'behind its text': [start, ...said.flatMap((word) => [text(word), logprob(word)]), finish(), end],
    'at the end': [start, ...said.map((word) => text(word)), ...said.map(logprob), finish(), end],
  };
  for (const [where, steps] of Object.entries(orders))
    for (const dialect of [dialects.chat, dialects.responses, dialects.gemini, dialects.cohere])
      for (const rule of [
        { tokens: 8, overlap: 4 },
        { tokens: 2, overlap: 0 },
      ])
        it(`does not tell what was masked ${where}: ${dialect.name}, windows of ${rule.tokens} tokens`, () => {
          const { source, client } = windows(mask(/jane@[\w.]+/g), rule, { dialect });
          for (const event of wireOf(steps, dialect).split(/(?<=\n\n)/)) source.push(event);
          source.end();
          assert.doesNotMatch(client.bytes, /jane|@example|\.org/);
          assert.match(
            textOf(understood(client.bytes, dialect)),
            /^Write to \[X\] about everything that there is now$/,
          );
        });

  const saying: Readonly<Record<string, (said: string, token?: string) => string>> = {
    chat: (content, token) =>
      chunkOf({ index: 0, delta: { content }, ...(token && { logprobs: { content: [{ token, logprob: -0.1 }] } }) }),
    completions: (said, token) => chunkOf({ index: 0, text: said, ...(token && { logprobs: { tokens: [token] } }) }),
    cohere: (said, token) =>
      sseFrame(
        JSON.stringify({
          type: 'content-delta',
          index: 0,
          delta: said === '' ? {} : { message: { content: { text: said } } },
          ...(token && { logprobs: { text: token, token_ids: [1], logprobs: [-0.1] } }),
        }),
      ),
  };
  for (const dialect of [dialects.chat, dialects.completions, dialects.cohere]) {
    const say = saying[dialect.name] ?? (() => '');
    const [opening = ''] = wireOf([start, text('')], dialect).split(/(?<=\n\n)/);

    it(`does not tell what is masked later, where a look parts it from its text: ${dialect.name}`, (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { source, client } = windows(mask(/jane@[\w.]+/g), { tokens: 64, ms: 100, overlap: 4 }, { dialect });
      source.push(opening + say('Write to ', 'Write to '));
      source.push(say('', 'jane@example.org'));
      for (let count = 0; count < 4; count += 1) t.mock.timers.tick(100);
      assert.match(client.bytes, /Write to/);
      source.push(say('jane@example.org'));
      for (const event of [say(' about it', ' about it'), wireOf([start, finish(), end], dialect)]) source.push(event);
      source.end();
      assert.doesNotMatch(client.bytes, /jane/);
      assert.match(client.bytes, /\[X\]/);
    });

    it(`comes with its text, where a look parts the two: ${dialect.name}`, (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { source, client } = windows(pass, { tokens: 64, ms: 100, overlap: 4 }, { dialect });
      source.push(opening + say('Write to ', 'Write to '));
      source.push(say('', 'jane'));
      for (let count = 0; count < 4; count += 1) t.mock.timers.tick(100);
      assert.doesNotMatch(client.bytes, /jane/);
      source.push(say('jane') + wireOf([start, finish(), end], dialect));
      source.end();
      assert.match(client.bytes, /"(?:token|tokens|logprobs)":(?:\[|\{"text":)?"jane"/);
    });
  }

  it('does not tell what was masked in a field of its choice', () => {
    const { source, client } = windows(
      mask(/jane@[\w.]+/g),
      { tokens: 2, overlap: 0 },
      { dialect: dialects.completions },
    );
    const steps = [start, ...said.flatMap((word) => [text(word), tokensOf(word)]), finish(), end];
    for (const event of wireOf(steps, dialects.completions).split(/(?<=\n\n)/)) source.push(event);
    source.end();
    assert.doesNotMatch(client.bytes, /jane|@example|\.org/);
  });

  it('stays with it: citations', () => {
    const { steps } = through(
      pass,
      [start, text('A text that is long enough for a window.'), citation('A'), finish(), end],
      dialects.messages,
    );
    assert.equal(steps.filter(({ type }) => type === 'citation').length, 1);
  });

  it('stays with it: token counts', () => {
    const usage: Delta = { type: 'usage', usage: { input: 3, output: 4, total: 7 } };
    for (const dialect of [dialects.chat, dialects.completions, dialects.messages, dialects.responses]) {
      const { steps } = through(pass, [start, text('Hello'), finish(), usage, end], dialect);
      const counted = steps.find((step) => step.type === 'usage');
      assert.equal(counted?.type === 'usage' ? counted.usage.output : undefined, 4, dialect.name);
    }
  });
});

describe('edits of several checks', () => {
  it('that overlap are made together: nothing that one takes away is said by another', () => {
    const said = 'Please call Jane at home';
    const look = (reading: Parameters<ReturnType<typeof mask>>[0]) => {
      const whole = mask(/^[\s\S]+$/g, said.replace('Please', 'Do'))(reading);
      const name = mask(/Jane/g)(reading);
      const edits = new Map(
        [...whole.edits].map(([key, edits]) => [key, [...edits, ...(name.edits.get(key) ?? [])]] as const),
      );
      return { ...whole, edits };
    };
    const { source, client } = windows(look, { tokens: 64 });
    source.push(wireOf([start, ...(said.match(/.{1,5}/g) ?? []).map((piece) => text(piece)), finish(), end]));
    source.end();
    assert.equal(textOf(understood(client.bytes)), 'Do call [X] at home');
  });
});
