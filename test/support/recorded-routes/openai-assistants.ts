import type OpenAI from 'openai';
import type { Json } from 'portcullis/sdk';
import { type RecordedRoute, route } from './cases.ts';

/** A type of the SDK is an interface, which is never taken for JSON. */
const json = (value: object) => value as Json;

/** Objects as the reference shows them: https://platform.openai.com/docs/api-reference/assistants */
export const thread: OpenAI.Beta.Thread = {
  id: 'thread_1',
  object: 'thread',
  created_at: 1699012949,
  metadata: { modified: 'true' },
  tool_resources: null,
};
export const message: OpenAI.Beta.Threads.Message = {
  id: 'msg_1',
  object: 'thread.message',
  created_at: 1699017614,
  thread_id: 'thread_1',
  assistant_id: null,
  attachments: [],
  completed_at: null,
  content: [{ type: 'text', text: { value: 'How does AI work?', annotations: [] } }],
  incomplete_at: null,
  incomplete_details: null,
  metadata: {},
  role: 'user',
  run_id: null,
  status: 'completed',
};
export const run: OpenAI.Beta.Threads.Run = {
  id: 'run_1',
  object: 'thread.run',
  created_at: 1699063290,
  assistant_id: 'asst_abc123',
  thread_id: 'thread_1',
  status: 'completed',
  started_at: 1699063290,
  expires_at: null,
  cancelled_at: null,
  failed_at: null,
  completed_at: 1699063291,
  incomplete_details: null,
  instructions: 'You are a personal math tutor.',
  last_error: null,
  max_completion_tokens: null,
  max_prompt_tokens: null,
  metadata: {},
  model: 'gpt-4o',
  parallel_tool_calls: true,
  required_action: null,
  response_format: 'auto',
  temperature: 1,
  tool_choice: 'auto',
  tools: [{ type: 'code_interpreter' }],
  top_p: 1,
  truncation_strategy: { type: 'auto', last_messages: null },
  usage: { prompt_tokens: 123, completion_tokens: 456, total_tokens: 579 },
};
export const step: OpenAI.Beta.Threads.Runs.RunStep = {
  id: 'step_1',
  object: 'thread.run.step',
  created_at: 1699063291,
  run_id: 'run_1',
  assistant_id: 'asst_abc123',
  thread_id: 'thread_1',
  type: 'message_creation',
  status: 'completed',
  cancelled_at: null,
  completed_at: 1699063291,
  expired_at: null,
  failed_at: null,
  last_error: null,
  metadata: null,
  step_details: { type: 'message_creation', message_creation: { message_id: 'msg_1' } },
  usage: null,
};

const asked = { assistant_id: 'asst_abc123' };
const page = (...data: object[]) => json({ object: 'list', data, first_id: null, last_id: null, has_more: false });
const deleted = (id: string, object: string) => ({ id, object, deleted: true });
const runs = '/v1/threads/thread_1/runs';
const messages = '/v1/threads/thread_1/messages';

export const threadRoutes: readonly RecordedRoute[] = [
  route('POST', '/v1/threads', json(thread), { body: { messages: [{ role: 'user', content: 'Hello' }] } }),
  route('GET', '/v1/threads/thread_1', json(thread)),
  route('POST', '/v1/threads/thread_1', json(thread), { body: { metadata: { modified: 'true' } } }),
  route('DELETE', '/v1/threads/thread_1', deleted('thread_1', 'thread.deleted')),
  route('POST', messages, json(message), { body: { role: 'user', content: 'How does AI work?' } }),
  route('GET', `${messages}/msg_1`, json(message)),
  route('POST', `${messages}/msg_1`, json(message), { body: { metadata: {} } }),
  route('GET', `${messages}?order=asc`, page(message)),
  route('DELETE', `${messages}/msg_1`, deleted('msg_1', 'thread.message.deleted')),
  route('POST', runs, json({ ...run, status: 'queued' }), { body: asked }),
  route('GET', `${runs}/run_1`, json({ ...run, status: 'in_progress' })),
  route('GET', `${runs}/run_1`, json(run)),
  route('GET', `${runs}?limit=5`, page(run)),
  route('POST', `${runs}/run_1/cancel`, json({ ...run, status: 'cancelling' })),
  route('POST', `${runs}/run_1/submit_tool_outputs`, json(run), {
    body: { tool_outputs: [{ tool_call_id: 'call_1', output: '70' }] },
  }),
  route('GET', `${runs}/run_1/steps`, page(step)),
  route('GET', `${runs}/run_1/steps/step_1`, json(step)),
  route('POST', runs, streamed(), { body: { ...asked, stream: true } }),
];

/** https://platform.openai.com/docs/api-reference/assistants-streaming/events */
function streamed(): string {
  const saying = (text: string) => ({
    id: 'msg_2',
    object: 'thread.message.delta',
    delta: { content: [{ index: 0, type: 'text', text: { value: text, annotations: [] } }] },
  });
  const text = [{ type: 'text', text: { value: 'Hello there', annotations: [] } }];
  const answer = { ...message, id: 'msg_2', role: 'assistant', run_id: 'run_1' };
  const all: readonly (readonly [string, object])[] = [
    ['thread.run.created', { ...run, status: 'queued' }],
    ['thread.run.in_progress', { ...run, status: 'in_progress' }],
    ['thread.message.created', { ...answer, status: 'in_progress', content: [] }],
    ['thread.message.delta', saying('Hello')],
    ['thread.message.delta', saying(' there')],
    ['thread.message.completed', { ...answer, content: text }],
    ['thread.run.completed', run],
  ];
  return `${all.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('')}event: done\ndata: [DONE]\n\n`;
}
