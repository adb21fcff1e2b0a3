import { readFileSync } from 'node:fs';
import { asArray, asObject, asObjects, asString, type JsonObject, parseJson } from 'portcullis/sdk';

/** The wire formats that a peer speaks. */
export type WireDialect = 'chat' | 'messages' | 'responses' | 'gemini';
/** What a recorded answer shows. */
export type Scenario = 'text' | 'tools' | 'thinking';

const folder = new URL('./recordings/', import.meta.url);

/** A recorded whole answer, as the provider's documentation prints it. */
export function recordedReply(dialect: WireDialect, scenario: Scenario): string {
  return readFileSync(new URL(`${dialect}/${scenario}.json`, folder), 'utf8');
}

/** A recorded stream, as the events that make it up. */
export function recordedStream(dialect: WireDialect, scenario: Scenario): readonly string[] {
  const text = readFileSync(new URL(`${dialect}/${scenario}.stream.txt`, folder), 'utf8');
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => `${event}\n\n`);
}

/** What a model would do with the request: call a tool once, think when asked to, else answer with text. */
export function scenarioOf(dialect: WireDialect, body: JsonObject): Scenario {
  if (asArray(body.tools).length > 0 && !hasToolResult(dialect, body)) return 'tools';
  return asksForThinking(dialect, body) ? 'thinking' : 'text';
}

function hasToolResult(dialect: WireDialect, body: JsonObject): boolean {
  switch (dialect) {
    case 'chat':
      return asObjects(body.messages).some((message) => message.role === 'tool');
    case 'messages':
      return asObjects(body.messages).some((message) =>
        asObjects(message.content).some((block) => block.type === 'tool_result'),
      );
    case 'responses':
      return asObjects(body.input).some((item) => item.type === 'function_call_output');
    case 'gemini':
      return asObjects(body.contents).some((content) =>
        asObjects(content.parts).some((part) => part.functionResponse !== undefined),
      );
  }
}

function asksForThinking(dialect: WireDialect, body: JsonObject): boolean {
  switch (dialect) {
    case 'chat':
      return asString(body.reasoning_effort) !== undefined && body.reasoning_effort !== 'none';
    case 'messages':
      return ['enabled', 'adaptive'].includes(asString(asObject(body.thinking)?.type) ?? '');
    case 'responses':
      return asString(asObject(body.reasoning)?.summary) !== undefined;
    case 'gemini':
      return asObject(asObject(body.generationConfig)?.thinkingConfig)?.includeThoughts === true;
  }
}

/** Whether the chat format was asked for the chunk with token counts; the other formats always tell them. */
export function withAskedUsage(dialect: WireDialect, body: JsonObject, events: readonly string[]): readonly string[] {
  if (dialect !== 'chat' || asObject(body.stream_options)?.include_usage === true) return events;
  return events.filter((event) => {
    const chunk = asObject(parseJson(event.slice('data: '.length)));
    return chunk === undefined || asArray(chunk.choices).length > 0;
  });
}
