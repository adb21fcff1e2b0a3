import { asArray, asObject, asString, type JsonObject } from 'portcullis/sdk';
import { eventsOf } from '../../support/client-dialects.ts';
import type { TestGateway } from '../../support/gateway.ts';

/** What an SDK made of a stream, and the bytes that it read. */
export interface Read {
  readonly status: number;
  readonly text: string;
  readonly finish: string | undefined;
  readonly raw: string;
}

export interface Reading {
  readonly gateway: TestGateway;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
}

export type Reader = (reading: Reading) => Promise<Read>;

type Fetch = typeof fetch;

/** Keeps a copy of what the SDK reads. */
function listening(): { readonly fetch: Fetch; heard(): Promise<{ status: number; raw: string }> } {
  let copy: Promise<{ status: number; raw: string }> = Promise.reject(new Error('Nothing was asked.'));
  copy.catch(() => {});
  return {
    fetch: async (...given) => {
      const response = await fetch(...given);
      const { status } = response;
      copy = response
        .clone()
        .text()
        .then((raw) => ({ status, raw }));
      copy.catch(() => {});
      return response;
    },
    heard: () => copy,
  };
}

const asked = [{ role: 'user' as const, content: 'Say it.' }];

const readChat: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.openai(headers).withOptions({ fetch: ears.fetch });
  const stream = await client.chat.completions.create({
    model,
    messages: asked,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let finish: string | undefined;
  for await (const { choices } of stream) {
    text += choices[0]?.delta.content ?? '';
    finish = choices[0]?.finish_reason ?? finish;
  }
  return { ...(await ears.heard()), text, finish };
};

const readChatHelper: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.openai(headers).withOptions({ fetch: ears.fetch });
  const completion = await client.chat.completions.stream({ model, messages: asked }).finalChatCompletion();
  const [choice] = completion.choices;
  return { ...(await ears.heard()), text: choice?.message.content ?? '', finish: choice?.finish_reason };
};

const readCompletions: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.openai(headers).withOptions({ fetch: ears.fetch });
  const stream = await client.completions.create({ model, prompt: 'Say it.', stream: true });
  let text = '';
  let finish: string | undefined;
  for await (const { choices } of stream) {
    text += choices[0]?.text ?? '';
    finish = choices[0]?.finish_reason ?? finish;
  }
  return { ...(await ears.heard()), text, finish };
};

const readMessages: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.anthropic(headers).withOptions({ fetch: ears.fetch });
  const stream = await client.messages.create({ model, max_tokens: 100, messages: asked, stream: true });
  let text = '';
  let finish: string | undefined;
  for await (const event of stream) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    if (event.type === 'message_delta') finish = event.delta.stop_reason ?? finish;
  }
  return { ...(await ears.heard()), text, finish };
};

const readMessagesHelper: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.anthropic(headers).withOptions({ fetch: ears.fetch });
  const message = await client.messages.stream({ model, max_tokens: 100, messages: asked }).finalMessage();
  const text = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return { ...(await ears.heard()), text, finish: message.stop_reason ?? undefined };
};

const readResponses: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.openai(headers).withOptions({ fetch: ears.fetch });
  const stream = await client.responses.create({ model, input: 'Say it.', stream: true });
  let text = '';
  let finish: string | undefined;
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    if (event.type === 'response.completed' || event.type === 'response.incomplete') finish = event.response.status;
  }
  return { ...(await ears.heard()), text, finish };
};

const readResponsesHelper: Reader = async ({ gateway, headers, model = 'm' }) => {
  const ears = listening();
  const client = gateway.openai(headers).withOptions({ fetch: ears.fetch });
  const response = await client.responses.stream({ model, input: 'Say it.' }).finalResponse();
  return { ...(await ears.heard()), text: response.output_text, finish: response.status };
};

export type ClientName = 'chat' | 'completions' | 'messages' | 'responses';

/** The ways in which the official SDKs read a stream of each format. */
export const readers: Readonly<Record<ClientName, Readonly<Record<string, Reader>>>> = {
  chat: { stream: readChat, helper: readChatHelper },
  completions: { stream: readCompletions },
  messages: { stream: readMessages, helper: readMessagesHelper },
  responses: { stream: readResponses, helper: readResponsesHelper },
};

export const requests: Readonly<Record<ClientName, { readonly path: string; readonly body: JsonObject }>> = {
  chat: { path: '/v1/chat/completions', body: { model: 'm', messages: asked, stream: true } },
  completions: { path: '/v1/completions', body: { model: 'm', prompt: 'Say it.', stream: true } },
  messages: { path: '/v1/messages', body: { model: 'm', max_tokens: 100, messages: asked, stream: true } },
  responses: { path: '/v1/responses', body: { model: 'm', input: 'Say it.', stream: true } },
};

/** How each format says that an answer is over, was stopped by a guardrail, and its last event. */
export const words: Readonly<
  Record<ClientName, { readonly stop: string; readonly denied: string; readonly last: RegExp }>
> = {
  chat: { stop: 'stop', denied: 'content_filter', last: /^data: \[DONE\]$/gm },
  completions: { stop: 'stop', denied: 'content_filter', last: /^data: \[DONE\]$/gm },
  messages: { stop: 'end_turn', denied: 'refusal', last: /^event: message_stop$/gm },
  responses: {
    stop: 'completed',
    denied: 'incomplete',
    last: /^event: response\.(completed|incomplete|failed)$/gm,
  },
};

/** The results in a stream, each with its place from the end (0 is the last event). */
export function resultsIn(raw: string): readonly { readonly results: JsonObject; readonly fromEnd: number }[] {
  const events = eventsOf(raw);
  return events.flatMap((event, index) => {
    const results = typeof event === 'string' ? undefined : asObject(event.hook_results);
    return results === undefined ? [] : [{ results, fromEnd: events.length - 1 - index }];
  });
}

export function hooksOf(results: JsonObject | undefined, phase: 'before' | 'after' = 'after'): readonly JsonObject[] {
  return asArray(results?.[`${phase}_request_hooks`]).map((hook) => asObject(hook) ?? {});
}

/** Ids of the guardrails that results tell of. */
export function idsIn(results: JsonObject | undefined, phase: 'before' | 'after' = 'after'): readonly string[] {
  return hooksOf(results, phase).map(({ id }) => asString(id) ?? '');
}
