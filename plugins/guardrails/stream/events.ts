import {
  compact,
  type Delta,
  type Frame,
  type GenerationDialect,
  type GenerationDialectName,
  type JsonObject,
  sseFrame,
} from 'portcullis/sdk';

export type ClientDialect = Exclude<GenerationDialectName, 'converse'>;

/** A format that clients speak. */
export type ClientFormat = GenerationDialect & { readonly name: ClientDialect };

export function isClient(dialect: GenerationDialect): dialect is ClientFormat {
  return dialect.name !== 'converse';
}

/**
 * Whether a stream of the format is over with this event, which stands for these steps: results go before it, so that
 * clients who stop there have them.
 */
export function isLast({ data, event }: Frame, steps: readonly Delta[]): boolean {
  return data === '[DONE]' || event === 'response.failed' || steps.some(({ type }) => type === 'end');
}

/** The first event of these formats says what the stream is: nothing may come before it. */
const opensWithOwnEvent: ReadonlySet<ClientDialect> = new Set(['messages', 'responses', 'cohere']);

export type Start = Extract<Delta, { type: 'start' }>;

/** The official client of responses ends with an error at a type that it does not know; this one it passes over. */
const types = { messages: 'hook_results', responses: 'keepalive', cohere: 'hook_results' } as const;

/** The results with the first event of a stream, as early as its format lets them be. */
export function withFirst(
  dialect: ClientDialect,
  event: string,
  results: JsonObject,
  start: Start | undefined,
): string {
  const told = resultsEvent(dialect, results, start);
  return opensWithOwnEvent.has(dialect) ? event + told : told + event;
}

/**
 * Results as one more event: for chat and completions a chunk without choices, as the one that carries usage, and so where
 * answers are candidates; elsewhere an event of its own name.
 */
export function resultsEvent(dialect: ClientDialect, results: JsonObject, start: Start | undefined): string {
  if (dialect === 'messages' || dialect === 'responses' || dialect === 'cohere')
    return sseFrame(JSON.stringify({ type: types[dialect], hook_results: results }), 'hook_results');
  if (dialect === 'gemini') {
    const about = { modelVersion: start?.model, responseId: start?.id };
    return sseFrame(JSON.stringify(compact({ candidates: [], ...about, hook_results: results })));
  }
  return sseFrame(
    JSON.stringify({
      id: start?.id ?? '',
      object: dialect === 'chat' ? 'chat.completion.chunk' : 'text_completion',
      created: start?.created ?? 0,
      model: start?.model ?? '',
      choices: [],
      hook_results: results,
    }),
  );
}
