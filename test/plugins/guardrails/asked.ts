import type { DialectName, Endpoint, JsonObject } from 'portcullis/sdk';

/** A request of a format with all that it usually has. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly dialect?: DialectName;
  readonly body: JsonObject;
  /** Where a text passes unread: ids, enumerations and addresses, which providers refuse when they are none. */
  readonly unread: readonly string[];
}

export const bytes = 'QUJD'.repeat(24);
export const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string', description: 'd', enum: ['a'], default: 'a' } },
  required: ['city'],
};

/** The formats that most providers speak. */
export const asked: Readonly<Record<string, Asked>> = {
  chat: {
    endpoint: 'chatComplete',
    body: {
      model: 'm',
      user: 'u',
      service_tier: 'auto',
      stop: ['s'],
      reasoning_effort: 'low',
      metadata: { team: 't' },
      messages: [
        { role: 'system', name: 'n', content: 'c' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 't' },
            { type: 'image_url', image_url: { url: 'https://a.example/a.png', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: bytes, format: 'wav' } },
            {
              type: 'file',
              file: { file_id: 'file-1', filename: 'f.pdf', file_data: `data:application/pdf;base64,${bytes}` },
            },
          ],
        },
        {
          role: 'assistant',
          content: 'c',
          refusal: 'r',
          reasoning_content: 'r',
          audio: { id: 'audio_1' },
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } },
            { id: 'call_2', type: 'custom', custom: { name: 'f', input: 'i' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'c' },
      ],
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: schema } },
        {
          type: 'custom',
          custom: {
            name: 'f',
            description: 'd',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'd' } },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } },
      prediction: { type: 'content', content: 'p' },
      web_search_options: {
        search_context_size: 'low',
        user_location: { type: 'approximate', approximate: { city: 'c' } },
      },
      new_field: { id: 'i', type: 't', list: ['l'] },
    },
    unread: [
      ...['messages.audio.id', 'messages.content.file.file_id', 'messages.content.image_url.detail'],
      ...['messages.content.input_audio.format', 'messages.content.type', 'messages.role'],
      ...['messages.tool_call_id', 'messages.tool_calls.id', 'messages.tool_calls.type', 'metadata.team'],
      ...['model', 'prediction.type', 'reasoning_effort'],
      ...['service_tier', 'stop', 'tool_choice.function.name', 'tool_choice.type'],
      ...['user'],
    ],
  },
  completions: {
    endpoint: 'complete',
    body: { model: 'm', prompt: ['p'], suffix: 's', stop: 's', user: 'u', new_field: { id: 'i' } },
    unread: ['model', 'stop', 'user'],
  },
  cohere: {
    endpoint: 'chatComplete',
    dialect: 'cohere',
    body: {
      model: 'm',
      messages: [
        { role: 'system', content: 'c' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 't' },
            { type: 'image_url', image_url: { url: 'https://a.example/' } },
          ],
        },
        {
          role: 'assistant',
          tool_plan: 'p',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'document', document: { id: 'd', data: { id: 'i' } } }] },
      ],
      documents: ['d', { id: 'i', data: { title: 't' } }],
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema } }],
      citation_options: { mode: 'FAST' },
      response_format: { type: 'json_object', json_schema: schema },
      safety_mode: 'STRICT',
    },
    unread: [
      ...['messages.content.document.id', 'messages.content.type', 'messages.role', 'messages.tool_call_id'],
      ...['messages.tool_calls.id', 'messages.tool_calls.type', 'model'],
    ],
  },
  embeddings: {
    endpoint: 'embed',
    body: {
      model: 'm',
      input: ['i', { text: 't', image: 'https://a.example/a.png' }],
      user: 'u',
      encoding_format: 'float',
      input_type: 'query',
      new_field: { id: 'i' },
    },
    unread: ['encoding_format', 'model', 'user'],
  },
  'embeddings (cohere)': {
    endpoint: 'embed',
    dialect: 'cohere-embeddings',
    body: {
      model: 'm',
      texts: ['t'],
      inputs: [{ content: [{ type: 'text', text: 't' }] }],
      input_type: 'search_query',
      embedding_types: ['float'],
      truncate: 'END',
      new_field: 'n',
    },
    unread: ['embedding_types', 'input_type', 'inputs.content.type', 'model', 'truncate'],
  },
  'embeddings (gemini)': {
    endpoint: 'embed',
    dialect: 'gemini-embeddings',
    body: {
      model: 'm',
      content: { parts: [{ text: 't' }] },
      taskType: 'RETRIEVAL_DOCUMENT',
      title: 't',
      requests: [{ model: 'm', content: { parts: [{ text: 't' }] }, title: 't', new_field: 'n' }],
      new_field: 'n',
    },
    unread: ['model', 'requests.model', 'taskType'],
  },
  rerank: {
    endpoint: 'rerank',
    body: {
      model: 'm',
      query: 'q',
      documents: ['d', { id: 'i', text: 't' }],
      rank_fields: ['text'],
      instruction: 'i',
      new_field: { id: 'i' },
    },
    unread: ['model', 'rank_fields'],
  },
  images: {
    endpoint: 'imageGenerate',
    body: {
      model: 'm',
      prompt: 'p',
      negative_prompt: 'n',
      size: '1024x1024',
      quality: 'hd',
      style: 'vivid',
      image: [`data:image/png;base64,${bytes}`, { file_id: 'file-1' }, { image_url: 'https://a.example/a.png' }],
      mask: 'https://a.example/a.png',
      response_format: 'url',
      user: 'u',
      new_field: { id: 'i' },
    },
    unread: ['image.file_id', 'model', 'user'],
  },
  speech: {
    endpoint: 'createSpeech',
    body: { model: 'm', input: 'i', instructions: 'i', voice: 'alloy', response_format: 'mp3', new_field: 'n' },
    unread: ['model', 'response_format', 'voice'],
  },
};
