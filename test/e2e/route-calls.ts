import type { JsonObject } from 'portcullis/sdk';
import { inferenceRoutes, otherRoute } from '../../core/http/inference.ts';
import { modelMethodRoutes } from '../../core/http/model-methods.ts';
import { cancel, form, get, post, type RouteCall, remove, says, word } from './route-call.ts';

const model = 'gpt-4o-mini';
const text = `Play the ${word}, please.`;
const user = (content: JsonObject['content'] = text): JsonObject => ({ role: 'user', content });
const png = new Blob(['png'], { type: 'image/png' });
const wav = new Blob(['RIFF'], { type: 'audio/wav' });
const called = {
  id: 'c1',
  type: 'function',
  function: { name: 'f', arguments: JSON.stringify({ instrument: word }) },
};

const generation: readonly RouteCall[] = [
  ...says('/v1/chat/completions', {
    text: { model, messages: [user()] },
    parts: { model, messages: [user([{ type: 'text', text }])] },
    system: { model, messages: [{ role: 'system', content: text }, user('Hi')] },
    'arguments of a tool': { model, messages: [user('Hi'), { role: 'assistant', tool_calls: [called] }, user('Go')] },
    'result of a tool': {
      model,
      messages: [
        user('Hi'),
        { role: 'assistant', tool_calls: [{ ...called, function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: text },
      ],
    },
    streamed: { model, messages: [user()], stream: true },
  }),
  ...says('/v1/completions', {
    prompt: { model, prompt: text },
    'list of prompts': { model, prompt: ['Hi', text] },
    suffix: { model, prompt: 'Hi', suffix: text },
  }),
  ...says('/v1/embeddings', { input: { model, input: text }, 'list of inputs': { model, input: ['Hi', text] } }),
  ...says(
    '/v1/messages',
    {
      text: { model, max_tokens: 9, messages: [user()] },
      system: { model, max_tokens: 9, system: text, messages: [user('Hi')] },
      parts: { model, max_tokens: 9, messages: [user([{ type: 'text', text }])] },
    },
    { provider: 'claude' },
  ),
  ...says('/v1/messages', { translated: { model, max_tokens: 9, messages: [user()] } }),
  ...says(
    '/v1/messages/count_tokens',
    { text: { model, messages: [user()] }, system: { model, system: text, messages: [user('Hi')] } },
    { provider: 'claude', spends: false },
  ),
  ...says('/v1/responses', {
    input: { model, input: text },
    items: { model, input: [user([{ type: 'input_text', text }])] },
    instructions: { model, input: 'Hi', instructions: text },
    'output of a tool': { model, input: [{ type: 'function_call_output', call_id: 'c1', output: text }] },
  }),
  get('/v1/responses/resp-1'),
  remove('/v1/responses/resp-1'),
  cancel('/v1/responses/resp-1/cancel'),
  get('/v1/responses/resp-1/input_items'),
  ...says('/v1/prompts/greeting/completions', { variables: { variables: { what: text } } }),
];

const methodPath = (method: string) => `/v1beta/models/${model}:${method}`;
const contents = [{ role: 'user', parts: [{ text }] }];

const modelMethods: readonly RouteCall[] = [
  ...says(methodPath('generateContent'), {
    contents: { contents },
    'system instruction': {
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      systemInstruction: { parts: [{ text }] },
    },
  }),
  ...says(`${methodPath('streamGenerateContent')}?alt=sse`, { contents: { contents } }),
  ...says(methodPath('countTokens'), { contents: { contents } }, { provider: 'claude', spends: false }),
  ...says(methodPath('embedContent'), { content: { content: { parts: [{ text }] } } }),
  ...says(methodPath('batchEmbedContents'), {
    requests: { requests: [{ model: `models/${model}`, content: { parts: [{ text }] } }] },
  }),
];

const media: readonly RouteCall[] = [
  ...says(
    '/v1/rerank',
    {
      query: { model: 'rerank-v3.5', query: text, documents: ['a'] },
      documents: { model: 'rerank-v3.5', query: 'Hi', documents: ['a', text] },
      'objects as documents': { model: 'rerank-v3.5', query: 'Hi', documents: [{ text }] },
    },
    { provider: 'ranks' },
  ),
  ...says('/v1/moderations', {
    input: { input: text },
    'list of inputs': { input: ['Hi', text] },
    parts: { input: [{ type: 'text', text }] },
  }),
  post(
    '/v1/ocr',
    { model: 'mistral-ocr-latest', document: { type: 'document_url', document_url: 'https://example.com/a.pdf' } },
    { provider: 'reads' },
  ),
  ...says(
    '/v1/ocr',
    {
      'prompt for annotations': {
        model: 'mistral-ocr-latest',
        document: { type: 'document_url', document_url: 'https://example.com/a.pdf' },
        document_annotation_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
        document_annotation_prompt: text,
      },
    },
    { provider: 'reads' },
  ),
  ...says('/v1/images/generations', { prompt: { model: 'gpt-image-1', prompt: text } }),
  form('/v1/images/edits', 'form with a prompt', { model: 'gpt-image-1', prompt: text, image: png }, { finds: 'word' }),
  ...says('/v1/images/edits', {
    JSON: { model: 'gpt-image-1', prompt: text, images: [{ image_url: 'data:image/png;base64,aGk=' }] },
  }),
  form('/v1/images/variations', 'form', { model: 'dall-e-2', image: png }),
  ...says('/v1/audio/speech', {
    input: { model: 'tts-1', voice: 'alloy', input: text },
    instructions: { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hi', instructions: text },
  }),
  form('/v1/audio/transcriptions', 'without a prompt', { model: 'whisper-1', file: wav }),
  ...['transcriptions', 'translations'].map((kind) =>
    form(`/v1/audio/${kind}`, 'with a prompt', { model: 'whisper-1', prompt: text, file: wav }, { finds: 'word' }),
  ),
];

const batchLine = JSON.stringify({
  custom_id: 'one',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model, messages: [user()] },
});

const stored: readonly RouteCall[] = [
  get('/v1/files'),
  form('/v1/files', 'any file', { purpose: 'user_data', file: new Blob([text]) }, { finds: 'bytes' }),
  form(
    '/v1/files',
    'requests of a batch',
    { purpose: 'batch', file: new Blob([`${batchLine}\n`]) },
    { finds: 'bytes' },
  ),
  get('/v1/files/file-1'),
  remove('/v1/files/file-1'),
  get('/v1/files/file-1/content'),
  get('/v1/batches'),
  post('/v1/batches', { input_file_id: 'file-1', endpoint: '/v1/chat/completions', completion_window: '24h' }),
  get('/v1/batches/batch-1'),
  cancel('/v1/batches/batch-1/cancel'),
  get('/v1/batches/batch-1/output'),
  get('/v1/fine_tuning/jobs'),
  post('/v1/fine_tuning/jobs', { model, training_file: 'file-1' }),
  ...says('/v1/fine_tuning/jobs', { suffix: { model, training_file: 'file-1', suffix: word } }),
  get('/v1/fine_tuning/jobs/ftjob-1'),
  cancel('/v1/fine_tuning/jobs/ftjob-1/cancel'),
  get('/v1/fine_tuning/jobs/ftjob-1/events'),
  get('/v1/fine_tuning/jobs/ftjob-1/checkpoints'),
];

const tool = { type: 'function', function: { name: 'f', description: text, parameters: { type: 'object' } } };
const conversed = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };

const assistants: readonly RouteCall[] = [
  get('/v1/assistants'),
  ...says('/v1/assistants', {
    instructions: { model, instructions: text },
    description: { model, description: text },
    'description of a tool': { model, tools: [tool] },
  }),
  remove('/v1/assistants'),
  get('/v1/assistants/asst-1'),
  ...says('/v1/assistants/asst-1', { instructions: { instructions: text } }),
  remove('/v1/assistants/asst-1'),
  get('/v1/threads'),
  ...says('/v1/threads', { messages: { messages: [user()] }, parts: { messages: [user([{ type: 'text', text }])] } }),
  remove('/v1/threads'),
  get('/v1/threads/thread-1/messages'),
  ...says('/v1/threads/thread-1/messages', { content: user(), parts: user([{ type: 'text', text }]) }),
  ...says('/v1/threads/thread-1/runs', {
    instructions: { assistant_id: 'asst-1', instructions: text },
    'additional instructions': { assistant_id: 'asst-1', additional_instructions: text },
    'additional messages': { assistant_id: 'asst-1', additional_messages: [user()] },
  }),
  ...says('/v1/threads/thread-1/runs/run_9/submit_tool_outputs', {
    output: { tool_outputs: [{ tool_call_id: 'c1', output: text }] },
  }),
  cancel('/v1/threads/thread-1/runs/run_9/cancel'),
  remove('/v1/threads/thread-1'),
];

const spaces: readonly RouteCall[] = [
  get('/v1/vector_stores'),
  post('/v1/vector_stores', { file_ids: ['file-1'] }),
  remove('/v1/vector_stores'),
  get('/v1/vector_stores/vs-1'),
  ...says('/v1/vector_stores/vs-1/search', { query: { query: text }, 'list of queries': { query: ['Hi', text] } }),
  remove('/v1/vector_stores/vs-1'),
  get('/v1/conversations'),
  ...says('/v1/conversations', { items: { items: [conversed] } }),
  remove('/v1/conversations'),
  get('/v1/conversations/conv-1/items'),
  ...says('/v1/conversations/conv-1/items', {
    items: { items: [conversed] },
    'text alone': { items: [{ role: 'user', content: text }] },
    'input of a tool': { items: [{ type: 'custom_tool_call', call_id: 'c1', name: 'f', input: text }] },
    'output of a tool': { items: [{ type: 'function_call_output', call_id: 'c1', output: text }] },
    'code that was run': { items: [{ type: 'code_interpreter_call', id: 'ci_9', code: text, outputs: [] }] },
  }),
  remove('/v1/conversations/conv-1'),
];

const others: readonly RouteCall[] = [
  get('/v1/models'),
  get('/v1/models/gpt-4o-mini'),
  get('/v1beta/models'),
  get('/v1beta/models/gpt-4o-mini'),
  remove('/v1/models/gpt-4o-mini'),
  ...['/v1/proxy/things', '/v1/things'].flatMap((path): readonly RouteCall[] => [
    get(path),
    post(path, { any: text }, { finds: 'bytes' }),
    { ...post(path, {}, { finds: 'bytes' }), about: 'bytes', bytes: text, json: {} },
    remove(path),
  ]),
  post('/v1/messages/batches', { requests: [] }, { finds: 'bytes' }),
  { ...get(`/v1/realtime?model=${model}`, { finds: 'bytes', spends: true }), method: 'UPGRADE' },
];

/** At least one call of every route, one for each method where a route takes any. */
export const routeCalls: readonly RouteCall[] = [
  ...generation,
  ...modelMethods,
  ...media,
  ...stored,
  ...assistants,
  ...spaces,
  ...others,
];

const routes = [...modelMethodRoutes, ...inferenceRoutes, otherRoute];

/** Methods of routes, as `POST /v1/files`; any method stands for three. */
export function routesOfGateway(): readonly string[] {
  return routes.flatMap(({ method, path }) =>
    (method === 'all' ? ['get', 'post', 'delete'] : [method]).map((one) => `${one.toUpperCase()} ${path}`),
  );
}

/** The route that takes a call; the first that fits, as the router does. */
export function routeOf({ method, path }: RouteCall): string | undefined {
  const [pathname = ''] = path.split('?');
  const found = routes.find(
    (route) =>
      (route.method === 'all' || route.method === method.toLowerCase()) &&
      new RegExp(`^${route.path.replace(/\*[a-z]+/, '.+').replace(/\/:[A-Za-z]+/g, '/[^/]+')}$`).test(pathname),
  );
  return found === undefined ? undefined : `${method} ${found.path}`;
}
