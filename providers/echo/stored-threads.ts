import { asArray, asObject, asObjects, asString, GatewayError, type Json, type JsonObject } from 'portcullis/sdk';
import type { SentBody } from './body.ts';
import { absent, type Given, type Kind, type Place, shelfAt, started } from './collections.ts';
import { nowSeconds } from './media.ts';
import { tokensOf } from './text.ts';
import { threadEvents } from './wire.ts';

/** Assistants, and threads whose runs repeat the last message of the user. */
export const threads: readonly Kind[] = [
  {
    path: '/assistants',
    object: 'assistant',
    changeable: true,
    removable: true,
    create: ({ json }, place) => ({
      ...started('assistant', 'asst_', place),
      name: null,
      description: null,
      instructions: null,
      tools: [],
      tool_resources: {},
      metadata: {},
      temperature: 1,
      top_p: 1,
      response_format: 'auto',
      ...json,
    }),
  },
  { path: '/threads', object: 'thread', listed: false, changeable: true, removable: true, create: createThread },
  { path: '/threads/*/messages', object: 'thread.message', changeable: true, removable: true, create: createMessage },
  {
    path: '/threads/*/runs',
    object: 'thread.run',
    changeable: true,
    create: createRun,
    actions: {
      cancel: (run) => ({ ...run, status: 'cancelled', cancelled_at: nowSeconds() }),
      submit_tool_outputs: (run) => run,
    },
  },
  { path: '/threads/*/runs/*/steps', object: 'thread.run.step' },
];

export function createThread({ json }: SentBody, place: Place): JsonObject {
  const { tool_resources, metadata } = json;
  const thread: JsonObject = {
    ...started('thread', 'thread_', place),
    tool_resources: tool_resources ?? {},
    metadata: metadata ?? {},
  };
  for (const message of asObjects(json.messages)) {
    const path = `/threads/${thread.id}/messages`;
    shelfAt(path).put(createMessage({ json: message, files: [] }, { ...place, path }));
  }
  return thread;
}

function createMessage({ json }: SentBody, place: Place): JsonObject {
  if (json.content === undefined) throw new GatewayError('bad_request', 'content is required.', { param: 'content' });
  return messageOf(asString(json.role) ?? 'user', contentOf(json.content), json, place);
}

function messageOf(role: string, content: Json, { attachments, metadata }: JsonObject, place: Place): JsonObject {
  return {
    ...started('thread.message', 'msg_', place),
    thread_id: threadOf(place),
    status: 'completed',
    completed_at: nowSeconds(),
    incomplete_at: null,
    incomplete_details: null,
    role,
    content,
    assistant_id: null,
    run_id: null,
    attachments: attachments ?? [],
    metadata: metadata ?? {},
  };
}

function contentOf(content: Json | undefined): Json {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asArray(content);
  return parts.map((item) => {
    const part = asObject(item);
    const text = asString(part?.text);
    return part === undefined || text === undefined ? item : { ...part, text: { value: text, annotations: [] } };
  });
}

/** `POST /threads/runs`: a thread and its first run. */
export function createThreadAndRun(sent: SentBody, place: Place): Given {
  const thread = shelfAt('/threads').put(createThread({ json: asObject(sent.json.thread) ?? {}, files: [] }, place));
  return createRun(sent, { ...place, path: `/threads/${thread.id}/runs` });
}

function createRun({ json }: SentBody, place: Place): Given {
  const assistantId = asString(json.assistant_id) ?? '';
  const assistant = shelfAt('/assistants').get(assistantId);
  if (assistant === undefined) throw absent(assistantId);
  const messages = shelfAt(`/threads/${threadOf(place)}/messages`);
  const last = messages.all().findLast(({ role }) => role === 'user');
  const text = asString(asObject(asObjects(last?.content)[0]?.text)?.value) ?? '';
  const run = shelfAt(place.path).put(runOf(json, assistant, text, place));
  const answer = messageOf('assistant', contentOf(text), {}, place);
  const message = messages.put({ ...answer, assistant_id: assistantId, run_id: run.id ?? null });
  shelfAt(`${place.path}/${run.id}/steps`).put(stepOf(run, message, place));
  return json.stream === true ? threadEvents(run, message, text) : run;
}

function runOf(json: JsonObject, assistant: JsonObject, text: string, place: Place): JsonObject {
  const now = nowSeconds();
  const tokens = tokensOf(text.length);
  return {
    ...started('thread.run', 'run_', place),
    thread_id: threadOf(place),
    assistant_id: assistant.id ?? null,
    status: 'completed',
    required_action: null,
    last_error: null,
    started_at: now,
    expires_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: now,
    incomplete_details: null,
    model: json.model ?? assistant.model ?? 'echo',
    instructions: json.instructions ?? assistant.instructions ?? null,
    tools: json.tools ?? assistant.tools ?? [],
    metadata: json.metadata ?? {},
    usage: { prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens },
    response_format: 'auto',
    tool_choice: 'auto',
    parallel_tool_calls: true,
  };
}

function stepOf(run: JsonObject, message: JsonObject, place: Place): JsonObject {
  return {
    ...started('thread.run.step', 'step_', place),
    run_id: run.id ?? null,
    assistant_id: run.assistant_id ?? null,
    thread_id: run.thread_id ?? null,
    type: 'message_creation',
    status: 'completed',
    completed_at: nowSeconds(),
    step_details: { type: 'message_creation', message_creation: { message_id: message.id ?? null } },
    usage: run.usage ?? null,
  };
}

function threadOf({ path }: Place): string {
  return path.split('/')[2] ?? '';
}
