/** The vendors of models that have prefixes of their own, and a family each. */
const prefix = /^(google|anthropic|meta|mistralai|ai21|endpoints)[./]/;

/** `anthropic.claude-...` and `anthropic/claude-...` as `claude-...`. */
export const bareName = (model: string): string => model.replace(prefix, '');

const vendorOf = (model: string): string | undefined => prefix.exec(model)?.[1];

/** How a model is called. */
export type Family = 'claude' | 'open' | 'mistral' | 'endpoint' | 'gemini';

/**
 * `claude-...`, `mistral-...`, `codestral-...` and `jamba-...` need no prefix; `endpoints.123` is a model that was deployed
 * to an endpoint; other vendors are named before a slash, as in `deepseek-ai/deepseek-r1-0528-maas`; the rest is Google's.
 */
export function familyOf(model: string): Family {
  const vendor = vendorOf(model);
  const bare = bareName(model);
  if (vendor === 'anthropic' || bare.startsWith('claude-')) return 'claude';
  if (vendor === 'mistralai' || vendor === 'ai21' || /^(mistral|codestral|ministral|jamba)-/.test(bare))
    return 'mistral';
  // With a slash it is what the platform calls a tuned model of its own.
  if (model.startsWith('endpoints.')) return 'endpoint';
  if (vendor === 'meta' || /^(?!google|projects|endpoints|models|publishers)[\w-]+\/[^/]+$/.test(model)) return 'open';
  return 'gemini';
}

/** Who publishes a model that is called by `rawPredict` in the chat format. */
export const rawPublisherOf = (model: string): string =>
  vendorOf(model) === 'ai21' || bareName(model).startsWith('jamba-') ? 'ai21' : 'mistralai';

/** `meta.llama-...` as `meta/llama-...`; what has a slash stays. */
export const openName = (model: string): string => model.replace(/^meta\./, 'meta/');
