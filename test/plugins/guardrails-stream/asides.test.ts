import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Delta, dialects, type JsonObject, parseJson } from 'portcullis/sdk';
import type { ClientFormat } from '../../../plugins/guardrails/stream/events.ts';
import { hooksOf, resultsIn } from './readers.ts';
import { serving, window } from './serving.ts';
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

const secret = /jane@example\.org/g;

const native = (dialect: ClientFormat, value: JsonObject, block = 0): Delta => ({
  type: 'part',
  choice: 0,
  block,
  part: { type: 'native', dialect: dialect.name, value },
});
const audio = (fields: JsonObject): Delta => ({ type: 'audio', choice: 0, audio: { id: 'audio_1', ...fields } });
const extra = (fields: JsonObject): Delta => ({ type: 'extra', choice: 0, fields: { message: fields } });

interface Step {
  readonly dialect: ClientFormat;
  readonly deltas: readonly Delta[];
}

/** Steps that the secret can stand in; the edit can be made in them. */
const changed: Readonly<Record<string, Step>> = {
  'the result of an MCP tool (messages)': {
    dialect: dialects.messages,
    deltas: [
      native(dialects.messages, {
        type: 'mcp_tool_result',
        tool_use_id: 'mcptoolu_1',
        is_error: false,
        content: [{ type: 'text', text: 'Write to jane@example.org.' }],
      }),
    ],
  },
  'what a tool of the provider is called with (messages)': {
    dialect: dialects.messages,
    deltas: [
      native(dialects.messages, {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'Who is jane@example.org?' },
      }),
    ],
  },
  'a call of an MCP tool with its result (responses)': {
    dialect: dialects.responses,
    deltas: [
      native(dialects.responses, {
        type: 'mcp_call',
        id: 'mcp_1',
        server_label: 'files',
        name: 'look',
        arguments: '{"of":"\\u006aane@example.org"}',
        output: 'Write to jane@example.org.',
      }),
    ],
  },
  'what code has printed (gemini)': {
    dialect: dialects.gemini,
    deltas: [
      native(dialects.gemini, { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'Write to jane@example.org.' } }),
    ],
  },
};

/** Steps that the secret can stand in, and that no edit can be put into. */
const dropped: Readonly<Record<string, Step>> = {
  'a source (messages)': { dialect: dialects.messages, deltas: [citation('jane@example.org')] },
  'a source (responses)': {
    dialect: dialects.responses,
    deltas: [citation('jane@example.org')],
  },
  'what is heard (chat)': {
    dialect: dialects.chat,
    deltas: [audio({ transcript: 'Write to ja' }), audio({ transcript: 'ne@exam' }), audio({ transcript: 'ple.org.' })],
  },
  'an unknown field (chat)': {
    dialect: dialects.chat,
    deltas: [extra({ new_field: { inside: ['jane@example.org'] } })],
  },
  'an unknown field of a choice (chat)': {
    dialect: dialects.chat,
    deltas: [{ type: 'extra', choice: 0, fields: { grounding: ['jane@example.org'] } }],
  },
  'an unknown field of the reply (chat)': {
    dialect: dialects.chat,
    deltas: [{ type: 'extra', fields: { citations: ['jane@example.org'] } }],
  },
  'why it was refused (messages)': {
    dialect: dialects.messages,
    deltas: [{ type: 'extra', choice: 0, fields: { stop_details: { explanation: 'jane@example.org' } } }],
  },
  'an unknown field of the reply (completions)': {
    dialect: dialects.completions,
    deltas: [{ type: 'extra', fields: { citations: ['jane@example.org'] } }],
  },
  'an unknown field of a choice (completions)': {
    dialect: dialects.completions,
    deltas: [{ type: 'extra', choice: 0, fields: { grounding: ['jane@example.org'] } }],
  },
  'an unknown field of the reply (gemini)': {
    dialect: dialects.gemini,
    deltas: [{ type: 'extra', fields: { sources: [{ id: 'jane@example.org' }] } }],
  },
};

const before = text('First a text that stays. ');

function through(look: ReturnType<typeof mask>, deltas: readonly Delta[], dialect: ClientFormat) {
  const { source, client, opened } = windows(look, { tokens: 16, overlap: 4 }, { dialect });
  for (const event of wireOf(deltas, dialect).split(/(?<=\n\n)/)) source.push(event);
  source.end();
  return { bytes: client.bytes, steps: understood(client.bytes, dialect), opened };
}

describe('a step that is no plain text', () => {
  for (const [name, { dialect, deltas }] of Object.entries({ ...changed, ...dropped })) {
    it(`is looked at before it goes out, and denied: ${name}`, async () => {
      const { bytes, opened } = through(deny(/jane@example\.org/), [start, before, ...deltas, finish(), end], dialect);
      assert.equal(await opened, true);
      assert.equal(bytes.replaceAll(': \n\n', ''), '');
    });

    it(`goes out where nothing is found in it: ${name}`, () => {
      const { steps } = through(pass, [start, before, ...deltas, finish(), end], dialect);
      const kinds = new Set(deltas.map(({ type }) => type));
      assert.ok(steps.some(({ type }) => kinds.has(type)));
      assert.equal(textOf(steps).trim(), 'First a text that stays.');
    });
  }

  for (const [name, { dialect, deltas }] of Object.entries(changed)) {
    it(`goes out with the edit made: ${name}`, () => {
      const [sent] = deltas;
      const { bytes, steps } = through(mask(secret), [start, before, ...deltas, finish(), end], dialect);
      assert.doesNotMatch(bytes, /jane|example\.org|\\\\u006a/);
      const got = steps.find(({ type }) => type === 'part');
      const expected = JSON.stringify(
        sent?.type === 'part' && sent.part.type === 'native' ? sent.part.value : undefined,
      );
      assert.deepEqual(
        got?.type === 'part' && got.part.type === 'native' ? got.part.value : undefined,
        parseJson(expected.replaceAll('\\\\u006a', 'j').replaceAll(secret, '[X]')),
      );
      assert.equal(textOf(steps).trim(), 'First a text that stays.');
    });
  }

  for (const [name, { dialect, deltas }] of Object.entries(dropped)) {
    it(`does not go out where no edit can be put into it: ${name}`, () => {
      const { bytes, steps } = through(mask(secret), [start, before, ...deltas, finish(), end], dialect);
      assert.doesNotMatch(bytes, /jane|ne@exam|ple\.org/);
      assert.equal(textOf(steps).trim(), 'First a text that stays.');
      assert.equal(steps.at(-1)?.type, 'end');
    });
  }

  it('does not go out where a key in it would have to be changed', () => {
    const part = native(dialects.messages, { type: 'new', found: { 'jane@example.org': 'stays' } });
    const { bytes, steps } = through(mask(secret), [start, before, part, finish(), end], dialects.messages);
    assert.doesNotMatch(bytes, /jane/);
    assert.equal(steps.at(-1)?.type, 'end');
  });

  it('opens the stream without what would have to be changed in it', () => {
    const opening: Delta = { type: 'start', id: 'r_1', model: 'm', extra: { sources: ['jane@example.org'], more: 5 } };
    const { bytes, steps } = through(mask(secret), [opening, before, finish(), end], dialects.gemini);
    assert.doesNotMatch(bytes, /jane/);
    assert.equal(textOf(steps), 'First a text that stays. ');
    assert.deepEqual(
      steps.filter(({ type }) => type === 'start').map((step) => 'id' in step && step.id),
      ['r_1'],
    );
    const kept = through(pass, [opening, before, finish(), end], dialects.gemini);
    assert.match(kept.bytes, /jane/);
  });

  it('that alone is the answer goes out as soon as it was looked at', async () => {
    const { dialect, deltas } = changed['the result of an MCP tool (messages)'] ?? assert.fail();
    const { source, client, opened } = windows(pass, {}, { dialect });
    source.push(wireOf([start, ...deltas, text('And a text.', 0, 1)], dialect));
    assert.equal(await opened, false);
    assert.match(client.bytes, /Write to jane/);
  });
});

it('an unknown field that comes in pieces is looked at as clients join it', () => {
  const { source, client } = windows(mask(secret), { tokens: 16, overlap: 4 });
  for (const new_field of ['Write to ja', 'ne@exam', 'ple.org'])
    source.push(
      `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'x ', new_field } }] })}\n\n`,
    );
  source.push(wireOf([finish(), end]));
  source.end();
  assert.doesNotMatch(client.bytes, /jane|ne@exam|ple\.org/);
  assert.equal(textOf(understood(client.bytes)), 'x x x ');
});

describe('what is heard', () => {
  const words = 'These are words that are heard one by one and they are more than a window holds'.split(/(?<= )/);

  it('goes out word by word with its sound', () => {
    const deltas = words.flatMap((word) => [audio({ transcript: word }), audio({ data: 'AAAA' })]);
    const { source, client } = windows(pass, { tokens: 8, overlap: 2 });
    source.push(wireOf([start, ...deltas]));
    assert.match(client.bytes, /These/);
    source.push(wireOf([finish(), end]));
    source.end();
    const heard = understood(client.bytes).flatMap((step) => (step.type === 'audio' ? [step.audio] : []));
    assert.equal(heard.map(({ transcript }) => transcript ?? '').join(''), words.join(''));
    assert.equal(heard.filter(({ data }) => data === 'AAAA').length, words.length);
  });

  it('goes out without words too, once it has waited for them, and is stopped by what comes later', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { source, client, opened } = windows(deny(/holds/), { ms: 500 });
    let isOpen = false;
    void opened.then(() => {
      isOpen = true;
    });
    source.push(wireOf([start, audio({ data: 'AAAA' })]));
    await Promise.resolve();
    assert.equal(isOpen, false);
    t.mock.timers.tick(500);
    assert.equal(await opened, false);
    assert.match(client.bytes, /AAAA/);
    source.push(wireOf([audio({ transcript: 'holds' }), finish(), end]));
    source.end();
    assert.doesNotMatch(client.bytes, /holds/);
    assert.match(client.bytes, /content_filter/);
  });

  it('can still be denied as a whole for words that come soon', async () => {
    const { source, opened } = windows(deny(/holds/), { ms: 500 });
    source.push(wireOf([start, audio({ data: 'AAAA' }), audio({ transcript: 'holds' }), finish(), end]));
    source.end();
    assert.equal(await opened, true);
  });

  it('is no longer heard once a word of it was changed', () => {
    const all = [...words, ' and', ' on', ' and', ' on'];
    const deltas = all.flatMap((word) => [audio({ transcript: word }), audio({ data: 'AAAA' })]);
    const { bytes } = through(mask(/holds/g), [start, ...deltas, finish(), end], dialects.chat);
    assert.match(bytes, /These/);
    assert.doesNotMatch(bytes, /holds|" on"/);
  });
});

describe('an address that is written with escapes in arguments of a tool', () => {
  const said =
    '{"to":"\\u006a\\u0061\\u006e\\u0065\\u0040example\\u002eorg","text":"a text that is longer than a window"}';
  const call: Delta = { type: 'tool-call', choice: 0, block: 0, id: 'call_1', name: 'send' };
  const deltas = (length: number) => [
    start,
    call,
    ...(said.match(new RegExp(`.{1,${length}}`, 'g')) ?? []).map(
      (piece): Delta => ({ type: 'tool-arguments', choice: 0, block: 0, text: piece }),
    ),
    finish(),
    end,
  ];

  for (const dialect of [dialects.chat, dialects.messages, dialects.responses]) {
    it(`is masked, wherever pieces and windows are cut: ${dialect.name}`, () => {
      for (const length of [1, 3, 5, 7, 200]) {
        for (const tokens of [5, 6, 7, 8, 64]) {
          const { source, client } = windows(mask(secret), { tokens, overlap: tokens }, { dialect });
          source.push(wireOf(deltas(length), dialect));
          source.end();
          const got = textOf(understood(client.bytes, dialect), 'tool-arguments');
          assert.deepEqual(parseJson(got), { to: '[X]', text: 'a text that is longer than a window' });
        }
      }
    });

    it(`is denied: ${dialect.name}`, () => {
      const { bytes } = through(deny(/jane@example\.org/), deltas(4), dialect);
      assert.doesNotMatch(bytes, /u0040|@|org/);
    });
  }
});

describe('a reply of a tool of the provider, in a stream', () => {
  const deltas = [
    start,
    native(dialects.messages, { type: 'mcp_tool_result', content: 'jane@example.org' }),
    finish(),
    end,
  ];
  const found: JsonObject = { id: 'guard', 'default.contains': { operator: 'none', words: ['jane'] }, deny: true };

  it('is told of at its end', async (t) => {
    const { asked } = await serving(t, deltas, 'messages');
    const { status, text: raw } = await asked([{ ...found, stream_mode: 'after' }]);
    assert.equal(status, 200);
    assert.match(raw, /jane/);
    assert.equal(hooksOf(resultsIn(raw)[0]?.results)[0]?.verdict, false);
  });

  it('is denied in windows, as a whole reply is', async (t) => {
    const { asked } = await serving(t, deltas, 'messages');
    const { status, text: raw } = await asked([{ ...found, ...window }]);
    assert.equal(status, 446);
    assert.doesNotMatch(raw, /jane@/);
  });
});
