/** The three kinds of traffic that are measured. */
export type Scenario = 'json' | 'saturated' | 'spaced';

export const chatPath = '/v1/chat/completions';
export const chunksPerStream = 100;
export const chunkGapMs = 5;

/** What ends a stream; a reply without it was cut short. */
export const streamEnd = 'data: [DONE]\n\n';

const created = 1_700_000_000;

/** The request of a scenario, about 1 KB. The model's name tells the upstream how to answer. */
export function requestBody(scenario: Scenario): string {
  const system = 'You are a careful assistant of a library. Answer in plain words and name the shelf. '.repeat(5);
  const user = 'Which books about bridges, gates and towers of the twelfth century do we have? '.repeat(5);
  const body = {
    model: modelOf(scenario),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    temperature: 0.2,
    max_tokens: 400,
  };
  return JSON.stringify(scenario === 'json' ? body : { ...body, stream: true });
}

export function modelOf(scenario: Scenario): string {
  return `bench-${scenario}`;
}

/** The fake provider's whole answer, about 2 KB. */
export function answerText(): string {
  return JSON.stringify({
    id: 'chatcmpl-bench',
    object: 'chat.completion',
    created,
    model: modelOf('json'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'The third shelf of the east room holds nine of them. '.repeat(33) },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 160, completion_tokens: 330, total_tokens: 490 },
  });
}

/** The events of a stream before its end, 169 bytes each but the last. */
export function streamChunks(): readonly string[] {
  return Array.from({ length: chunksPerStream }, (_, index) =>
    event(
      index === chunksPerStream - 1
        ? { delta: {}, finish_reason: 'stop' }
        : { delta: { content: 'shelf ' }, finish_reason: null },
    ),
  );
}

function event(choice: object): string {
  const chunk = {
    id: 'chatcmpl-bench',
    object: 'chat.completion.chunk',
    created,
    model: 'bench',
    choices: [{ index: 0, ...choice }],
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}
