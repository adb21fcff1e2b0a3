import { asArray, asString, compact, GatewayError, type JsonObject, provider, schema } from 'portcullis/sdk';

/**
 * One model of a server of one's own, which `custom_host` names: `https://triton.example.com/v2/models/my-model`. Fields
 * other than the text go to the model as they are. A stream has no end of its own, and tells no reason: it is complete when
 * the server closes it.
 * Source: docs/protocol/extension_generate.md of triton-inference-server/server, and the inputs of its `tensorrtllm_backend`.
 */
export default provider({
  settings: schema.Object({}),
  base() {
    throw new GatewayError(
      'missing_credentials',
      'triton needs a custom_host: the URL of a model, such as https://triton.example.com/v2/models/my-model.',
    );
  },
  auth: { kind: 'none' },
  endpoints: {
    complete: {
      path: '/generate',
      streamPath: '/generate_stream',
      dialect: 'completions',
      streamUsage: 'never',
      params: {
        rename: { stop: 'stop_words', seed: 'random_seed', n: 'num_return_sequences' },
        drop: ['best_of', 'echo', 'logit_bias', 'logprobs', 'model', 'stream_options', 'suffix', 'user'],
      },
      request: asked,
      repair: answered,
    },
    proxy: { path: '' },
  },
});

function asked({ prompt, ...rest }: JsonObject): JsonObject {
  const [text, ...others] = typeof prompt === 'string' ? [prompt] : asArray(prompt);
  if (typeof text !== 'string' || others.length > 0) {
    throw new GatewayError('translation_unsupported', 'This provider takes one prompt, as text.', { param: 'prompt' });
  }
  const { stop_words: stop } = rest;
  return compact({ text_input: text, ...rest, stop_words: typeof stop === 'string' ? [stop] : stop });
}

/** A whole reply, or an event of a stream; the decoder holds the reason back until the stream closes. */
function answered(json: JsonObject): JsonObject {
  if (typeof json.error === 'string') return { error: { message: json.error } };
  const { text_output: output, model_name: model, ...rest } = json;
  if (output === undefined) return json;
  const texts = typeof output === 'string' ? [output] : asArray(output);
  return compact({
    ...rest,
    model: asString(model),
    choices: texts.map((text, index) => ({ index, text: asString(text) ?? '', finish_reason: 'stop' })),
  });
}
