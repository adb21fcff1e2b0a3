import { asObject, type JsonObject, parseJson } from 'portcullis/sdk';
import type { TestGateway } from '../gateway.ts';
import type { Scenario, WireDialect } from '../recordings.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A model's answer, free of any wire format, as an SDK gave it. */
export interface Answer {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly ToolCall[];
  readonly finish: string;
  /** All input tokens, those of the cache included. */
  readonly input: number;
  /** All output tokens, those of thinking included. */
  readonly output: number;
}

export interface Question {
  readonly model: string;
  readonly scenario: Scenario;
  readonly stream: boolean;
  /** The provider's own format: how a chat client asks for thinking depends on it. */
  readonly wire: WireDialect;
}

/** The first answer; `results` continues the conversation with one result for each tool call. */
export interface Conversation {
  readonly answer: Answer;
  results(texts: readonly string[]): Promise<Answer>;
}

/** Asks through the real SDK of one client dialect. */
export type Ask = (gateway: TestGateway, question: Question) => Promise<Conversation>;

/** The tools that every client offers: name and JSON schema. */
export const offeredTools = ['get_weather', 'get_current_weather'].map((name) => ({
  name,
  description: 'Get the current weather in a given location',
  schema: {
    type: 'object' as const,
    properties: { location: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['location'],
  },
}));

/** Thinking is no part of the chat format: a client that wants it switches strict compliance off. */
export function headersFor({ scenario }: Question): Record<string, string> {
  return scenario === 'thinking' ? { 'x-gw-strict-compliance': 'false' } : {};
}

export function argumentsOf(text: string): JsonObject {
  const parsed = asObject(parseJson(text));
  if (parsed === undefined) throw new Error(`The arguments are no JSON object: ${text}`);
  return parsed;
}
