import type { Endpoint } from '../../contracts/endpoint.ts';
import type { Turn } from '../../contracts/guardrail.ts';
import type { JsonObject } from '../../json.ts';
import type { GivenInput } from '../check-input.ts';

/** An input that every check must cope with. */
export interface CorpusInput {
  readonly name: string;
  /** Made when it is needed: some are large. */
  readonly make: () => GivenInput;
}

/** Stands in texts, so that it can be found where no text may be. */
export const canary = 'Quillfeather7391';

const prose = `My name is ${canary}. Please write to ann@example.test or call 202-555-0143 about https://example.test/a?b=c. `;
const marked = {
  body: { model: 'm', messages: [{ role: 'user', content: prose }] },
  headers: { 'x-a': '1' },
  metadata: { _user: 'u' },
};

/** Texts of every kind and size but the largest. */
export const textInputs: readonly CorpusInput[] = [
  text('no text at all', () => ({ texts: [], turns: [] })),
  text('an empty text', () => ({ text: '' })),
  text('white space', () => ({ text: ' \t\r\n\u00a0\u2003\ufeff' })),
  text('prose', () => ({ text: prose, ...marked })),
  text('several texts', () => ({
    texts: [{ text: 'Be brief.', role: 'system' }, { text: prose }, { text: '' }, { text: 'Well?' }],
  })),
  text('code in fences', () => ({
    text: `Here:\n\`\`\`python\nprint("${canary}")\n\`\`\`\n\`\`\`json\n{"a": {"b": [1, 2]}}\n\`\`\``,
  })),
  text('many scripts', () => ({
    text: 'Ünïcödé 漢字かな 한국어 हिन्दी ไทย ελληνικά кириллица \u{1F469}\u200d\u{1F4BB}\u{1F1E9}\u{1F1EA} e\u0301',
  })),
  text('right to left', () => ({ text: '\u202eשלום עולם\u202c مرحبا بالعالم \u2067abc\u2069' })),
  text('lone surrogates', () => ({ text: `a\ud800b\udc00c\udfff\ud83d ${canary}` })),
  text('control characters', () => ({ text: 'a\u0000b\u0001\u001b[31m\u007f\u0085\u2028\u2029' })),
  text('special keys', () => ({
    text: '__proto__ constructor toString',
    metadata: { constructor: 'x' },
    body: { toString: 1 },
  })),
  text('patterns', () => ({ text: "$& $1 \\d+ (.*)+ [a-z] {{x}} %s %00 <b>&amp;</b> ' OR 1=1 --" })),
  text('arguments of tools', () => ({
    texts: [
      { text: prose },
      { text: `{"q":"${canary}"}`, kind: 'tool-arguments', role: 'assistant' },
      { text: '{"q":', kind: 'tool-arguments', role: 'assistant' },
    ],
    callsTools: true,
  })),
  text('results of tools', () => ({ texts: [{ text: prose }, { text: '[1,2]', kind: 'tool-result', role: 'tool' }] })),
  text('thinking and a refusal', () => ({
    texts: [
      { text: 'Hm.', kind: 'thinking', role: 'assistant' },
      { text: 'No.', kind: 'refusal', role: 'assistant' },
    ],
  })),
  text('images', () => ({
    text: 'What is it?',
    images: ['https://images.example.test/a.png', 'data:image/png;base64,iVBORw0KGgo=', 'data:,', 'https://[::1'],
  })),
  text('no metadata and no headers', () => ({ text: prose, metadata: {}, headers: {}, body: {} })),
  text('no model', () => ({ text: prose, model: '', provider: '' })),
  text('a caller of an organisation', () => ({ text: prose, organisationId: 'o', workspaceId: 'w' })),
  text('1,000 turns', () => ({
    turns: Array.from(
      { length: 1000 },
      (_, at): Turn => ({ role: at % 2 === 0 ? 'user' : 'assistant', text: `${prose}${at}` }),
    ),
  })),
  text('1,000 texts', () => ({ texts: Array.from({ length: 1000 }, (_, at) => ({ text: `${at}: ${prose}` })) })),
];

const times = (part: string, count: number) => part.repeat(count);

/** Texts that make careless patterns and parsers take for ever. */
export const hostileInputs: readonly CorpusInput[] = [
  ...[
    'a',
    ' ',
    '\n',
    '1',
    '(',
    '{',
    '[',
    '<',
    '"',
    '\\',
    '.',
    '-',
    '@',
    '/',
    '`',
    'a@',
    'a.',
    '1-',
    '{"a":',
    '```json\n',
    'http://',
    '<a ',
    'http://a.',
  ].map((part) => text(`${JSON.stringify(part)} 50,000 times`, () => ({ text: `${times(part, 50_000)}!` }))),
  text('words without an end', () => ({ text: `${times('word ', 40_000)}` })),
  text('lines without an end', () => ({ text: times('a: b\n', 40_000) })),
  text('digits in groups', () => ({ text: times('4111 1111 1111 1111 ', 5000) })),
  text('JSON of great depth', () => ({ text: `${times('{"a":', 20_000)}1${times('}', 20_000)}` })),
  text('deep arguments of a tool', () => ({
    texts: [{ text: `${times('[', 50_000)}${times(']', 50_000)}`, kind: 'tool-arguments' }],
    callsTools: true,
  })),
  text('1 MB', () => ({ text: times(prose, Math.ceil(1_000_000 / prose.length)) })),
  text('10 MB', () => ({ text: times(prose, Math.ceil(10_000_000 / prose.length)) })),
  text('10 MB in one word', () => ({ text: times('x', 10_000_000) })),
];

/** 10 KB of prose: what the time of a check is measured on. */
export const usualText = times(
  'The quick brown fox jumps over the lazy dog, and then it writes a letter about it. ',
  124,
).slice(0, 10_240);

/** How bodies of each endpoint look, as far as texts are in them. */
const shapes: readonly (readonly [Endpoint, JsonObject])[] = [
  ['chatComplete', { messages: [{ role: 'user', content: prose }] }],
  [
    'chatComplete',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: prose },
            { type: 'image_url', image_url: { url: 'https://images.example.test/a.png' } },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      temperature: 0.5,
    },
  ],
  ['complete', { prompt: [prose, prose] }],
  ['embed', { input: [prose] }],
  ['rerank', { query: prose, documents: [prose, { text: prose }] }],
  ['imageGenerate', { prompt: prose }],
  [
    'messages',
    {
      system: [{ type: 'text', text: prose }],
      messages: [{ role: 'user', content: [{ type: 'text', text: prose }] }],
      max_tokens: 10,
    },
  ],
  [
    'createModelResponse',
    { instructions: prose, input: [{ role: 'user', content: [{ type: 'input_text', text: prose }] }] },
  ],
  ['chatComplete', { messages: null, tools: 'x', model: 5 }],
];

const replies: readonly JsonObject[] = [
  { choices: [{ index: 0, message: { role: 'assistant', content: prose }, finish_reason: 'stop' }] },
  { choices: [], usage: null },
];

/** Endpoint by shape by stream, of a request or a reply. */
export const shapeInputs: readonly CorpusInput[] = shapes.flatMap(([endpoint, body], at) =>
  [false, true].map((stream) =>
    text(`${endpoint}, shape ${at + 1}${stream ? ', streamed' : ''}`, () => ({
      text: prose,
      endpoint,
      stream,
      body: { model: 'm', ...body, stream },
      reply: stream ? undefined : (replies[at % replies.length] ?? {}),
    })),
  ),
);

const windowed = `${prose}Grüße \u{1F600}\u{1F469}\u200d\u{1F4BB} 漢字 {"a": [1, {"b": "c"}]} \`\`\`js\nf()\n\`\`\` ${prose}`;

/** The windows of a text that arrives in pieces, cut at any place: inside words, fences and JSON. */
export function windowsOf(seed: number): readonly CorpusInput[] {
  let state = seed * 0x9e3779b9;
  const windows: CorpusInput[] = [];
  for (let at = 0; at < windowed.length; ) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const to = at + 1 + ((state >>> 0) % 48);
    windows.push(windowOf(at, to));
    at = to;
  }
  return windows;
}

/** Both sides of each cut between the halves of a surrogate pair. */
export const splitPairs: readonly CorpusInput[] = [...windowed.matchAll(/[\u{10000}-\u{10ffff}]/gu)].flatMap(
  ({ index }) => [windowOf(0, index + 1), windowOf(index + 1, windowed.length)],
);

function windowOf(from: number, to: number): CorpusInput {
  return text(`the window from ${from} to ${to}`, () => ({ text: windowed.slice(from, to), stream: true }));
}

function text(name: string, make: () => GivenInput): CorpusInput {
  return { name, make };
}
