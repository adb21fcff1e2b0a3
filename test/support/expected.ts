import type { Answer } from './clients/conversation.ts';
import type { Scenario, WireDialect } from './recordings.ts';

/** An answer as recorded. Ids are left out where the format has none. */
export type Expected = Omit<Answer, 'calls'> & {
  readonly calls: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: Answer['calls'][number]['arguments'];
  }[];
};

type Recorded = Readonly<Record<WireDialect, Readonly<Record<Scenario, Partial<Expected>>>>>;

const chatCalls = [
  { id: 'call_12345xyz', name: 'get_weather', arguments: { location: 'Paris, France' } },
  { id: 'call_67890abc', name: 'get_weather', arguments: { location: 'Bogotá, Colombia' } },
];
const responsesCalls = [
  {
    id: 'call_unLAR8MvFNptuiZK6K6HCy5k',
    name: 'get_current_weather',
    arguments: { location: 'Boston, MA', unit: 'celsius' },
  },
];
const geminiCalls = [
  { name: 'get_weather', arguments: { location: 'Paris' } },
  { name: 'get_current_weather', arguments: { location: 'London', unit: 'celsius' } },
];
const capital = {
  thinking:
    '**Answering a simple question**\n\nI’m looking at a straightforward question: the capital of France is Paris.',
  text: 'The capital of France is Paris.',
  input: 75,
  output: 1186,
};
const razor = {
  thinking: "**Unpacking Occam's Razor**\n\nI need the core principle and one everyday example.",
  text: 'Prefer the explanation that makes the fewest assumptions.',
  input: 34,
  output: 856,
};
const compared = {
  thinking: 'First, I compare 9.11 and 9.8 digit by digit.',
  text: '9.8 is greater.',
  input: 75,
  output: 1186,
};
const learns = { text: 'AI learns patterns from data to make predictions.', input: 8, output: 10 };
const greeting = { text: 'Hello! How can I assist you today?', input: 19, output: 10 };

const whole: Recorded = {
  chat: { text: greeting, tools: { calls: chatCalls, input: 82, output: 17 }, thinking: compared },
  messages: {
    text: { text: 'Hello!', input: 12, output: 6 },
    tools: {
      text: "I'll check the current weather in San Francisco for you.",
      calls: [
        {
          id: 'toolu_01A09q90qw90lq917835lq9',
          name: 'get_weather',
          arguments: { location: 'San Francisco, CA', unit: 'celsius' },
        },
      ],
      input: 472,
      output: 89,
    },
    thinking: {
      thinking: 'Let me analyze this step by step...',
      text: 'Based on my analysis, the greatest common divisor is 21.',
      input: 2009,
      output: 503,
    },
  },
  responses: {
    text: {
      text: 'In a peaceful grove beneath a silver moon, a unicorn named Lumina discovered a hidden pool that reflected the stars.',
      input: 36,
      output: 87,
    },
    tools: { calls: responsesCalls, input: 291, output: 23 },
    thinking: capital,
  },
  gemini: { text: learns, tools: { calls: geminiCalls, input: 81, output: 199 }, thinking: razor },
};

const streamed: Recorded = {
  ...whole,
  messages: {
    text: { text: 'Hello!', input: 25, output: 15 },
    tools: {
      text: "Okay, let's check the weather for San Francisco, CA:",
      calls: [
        {
          id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
          name: 'get_weather',
          arguments: { location: 'San Francisco, CA', unit: 'fahrenheit' },
        },
      ],
      input: 472,
      output: 89,
    },
    thinking: {
      thinking: 'I need to find the GCD of 1071 and 462 using the Euclidean algorithm.\n\n1071 = 2 × 462 + 147',
      text: 'The greatest common divisor of 1071 and 462 is **21**.',
      input: 2009,
      output: 503,
    },
  },
  responses: { ...whole.responses, text: { text: 'Hi there! How can I assist you today?', input: 37, output: 11 } },
};

/** What a client must see of a recorded answer, whatever its dialect. */
export function expectedOf(dialect: WireDialect, scenario: Scenario, stream: boolean): Expected {
  const recorded = (stream ? streamed : whole)[dialect][scenario];
  const calls = recorded.calls ?? [];
  return {
    text: '',
    thinking: '',
    input: -1,
    output: -1,
    finish: calls.length > 0 ? 'tool_calls' : 'stop',
    ...recorded,
    calls,
  };
}
