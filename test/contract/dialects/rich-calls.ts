import type { GenerationDialectName } from '../../../sdk/dialects/dialect.ts';
import type { JsonObject } from '../../../sdk/json.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const pdf = 'JVBERi0xLjQKJcOkw7zDtsOfCg==';
const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** One request of each client format that says as much as the format can say and others can hear. */
export const richCalls: Readonly<
  Record<Exclude<GenerationDialectName, 'completions' | 'converse' | 'cohere'>, JsonObject>
> = {
  chat: {
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Answer in French.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look at these.', cache_control: { type: 'ephemeral', ttl: '1h' } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'high' } },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
          { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` } },
        ],
      },
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'call_b', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'call_b', content: [{ type: 'text', text: 'rain' }] },
      { role: 'user', content: 'And now?' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'weather', description: 'Tells the weather.', parameters: schema, strict: true },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
    reasoning_effort: 'low',
    max_completion_tokens: 2000,
    temperature: 0.5,
    top_p: 0.9,
    n: 1,
    seed: 7,
    stop: ['END'],
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    logit_bias: { '50256': -100 },
    logprobs: true,
    top_logprobs: 2,
    user: 'u1',
    metadata: { a: 'b' },
    service_tier: 'flex',
    verbosity: 'low',
    store: true,
    prompt_cache_key: 'k',
    safety_identifier: 's',
    stream: true,
    stream_options: { include_usage: true },
    web_search_options: {},
  },
  messages: {
    model: 'm',
    max_tokens: 4000,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look at these.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: pdf },
            title: 'a.pdf',
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Two cities.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxB' },
          { type: 'redacted_thinking', data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_a', name: 'weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'toolu_b', name: 'weather', input: { city: 'Rome' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_a', content: 'no such city', is_error: true },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_b',
            content: [
              { type: 'text', text: 'rain' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
            ],
          },
          { type: 'text', text: 'And now?' },
        ],
      },
    ],
    tools: [
      {
        name: 'weather',
        description: 'Tells the weather.',
        input_schema: schema,
        cache_control: { type: 'ephemeral', ttl: '5m' },
      },
    ],
    tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1024 },
    temperature: 1,
    top_k: 5,
    stop_sequences: ['END'],
    metadata: { user_id: 'u1' },
    service_tier: 'auto',
    output_config: { format: { type: 'json_schema', schema } },
    stream: true,
    container: 'c1',
  },
  responses: {
    model: 'm',
    instructions: 'Be brief.',
    input: [
      { role: 'developer', content: 'Answer in French.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look at these.' },
          { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'auto' },
          { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
        ],
      },
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'Two cities.' }],
        encrypted_content: 'gAAAAABoMX6d',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.', annotations: [] }] },
      { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Paris"}' },
      { type: 'function_call', call_id: 'call_b', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'function_call_output', call_id: 'call_a', output: 'sunny' },
      {
        type: 'function_call_output',
        call_id: 'call_b',
        output: [
          { type: 'input_text', text: 'rain' },
          { type: 'input_image', image_url: `data:image/png;base64,${png}`, detail: 'auto' },
        ],
      },
      { role: 'user', content: 'And now?' },
    ],
    tools: [{ type: 'function', name: 'weather', description: 'Tells the weather.', parameters: schema, strict: true }],
    tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'weather' }] },
    parallel_tool_calls: false,
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
    max_output_tokens: 2000,
    temperature: 0.5,
    top_p: 0.9,
    top_logprobs: 2,
    metadata: { a: 'b' },
    store: false,
    service_tier: 'default',
    prompt_cache_key: 'k',
    safety_identifier: 's',
    truncation: 'auto',
    stream: true,
  },
  gemini: {
    model: 'm',
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look at these.' },
          { inlineData: { mimeType: 'image/png', data: png } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://example.com/cat.png' } },
          { inlineData: { mimeType: 'application/pdf', data: pdf } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'Two cities.', thought: true },
          { text: 'Looking.' },
          {
            functionCall: { id: 'a', name: 'weather', args: { city: 'Paris' } },
            thoughtSignature: 'EjQKMgG+Pvb7w0dFmLp1nQ8x7Vq2nYbS',
          },
          { functionCall: { id: 'b', name: 'weather', args: { city: 'Rome' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'weather', response: { error: 'no such city' } } },
          { functionResponse: { id: 'b', name: 'weather', response: { result: 'rain' } } },
          { text: 'And now?' },
        ],
      },
    ],
    tools: [
      { functionDeclarations: [{ name: 'weather', description: 'Tells the weather.', parametersJsonSchema: schema }] },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
    generationConfig: {
      maxOutputTokens: 2000,
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      seed: 7,
      candidateCount: 1,
      stopSequences: ['END'],
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseLogprobs: true,
      logprobs: 2,
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  },
};

/** What every target must get of each of these requests. */
export const texts = [
  'Be brief.',
  'Look at these.',
  'Looking.',
  'And now?',
  'rain',
  'Tells the weather.',
  'https://example.com/cat.png',
  png,
  pdf,
  'Paris',
  'Rome',
];
