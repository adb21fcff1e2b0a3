import { type CheckHost, callJson, check, compact, schema } from 'portcullis/sdk';
import { contextOf } from './context.ts';
import type { Credentials } from './credentials.ts';
import { resultsOf } from './results.ts';

/** All results share it, whatever their number: more would crowd out the conversation. */
const maxCharacters = 100_000;
/** As many as the data of a verdict have room for. */
const maxSources = 12;

const domains = (description: string) =>
  schema.Optional(schema.Array(schema.String({ minLength: 1, maxLength: 253 }), { maxItems: 1200, description }));

/** Adds what Exa finds about the last question to the instructions of the model. */
export const online = check({
  title: 'Exa online search',
  description: 'Searches the web for the last thing that the user said, and adds what is found to the system message.',
  config: schema.Object(
    {
      numResults: schema.Integer({ minimum: 1, maximum: 100, default: 10 }),
      includeDomains: domains('Only results from these.'),
      excludeDomains: domains('No results from these.'),
      prefix: schema.String({ maxLength: 4000, default: '\n<web_search_context>' }),
      suffix: schema.String({ maxLength: 4000, default: '\n</web_search_context>' }),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest'],
  endpoints: ['chatComplete', 'complete', 'messages', 'createModelResponse'],
  scans: false,
  edits: 'only',
  remote: { timeoutMs: 10_000 },
  run: async ({ endpoint, prompt }, config, host: CheckHost<Credentials>) => {
    const query = prompt.trim();
    if (query === '') return { pass: true };
    const { numResults, includeDomains = [], excludeDomains = [], prefix, suffix } = config;
    const reply = await callJson(host, {
      vendor: 'Exa',
      url: 'https://api.exa.ai/search',
      headers: { 'x-api-key': host.credentials.apiKey },
      body: compact({
        query,
        numResults,
        includeDomains: includeDomains.length === 0 ? undefined : includeDomains,
        excludeDomains: excludeDomains.length === 0 ? undefined : excludeDomains,
        contents: { text: { maxCharacters: Math.floor(maxCharacters / numResults) } },
      }),
    });
    const results = resultsOf(reply);
    const data = { sources: results.slice(0, maxSources).map(({ text: _, ...source }) => compact(source)) };
    if (results.length === 0) return { pass: true, data };
    const add = contextOf(results, prefix, suffix);
    // A bare prompt has no system message: there the results stand before it.
    const place =
      endpoint === 'complete'
        ? ({ message: 'user', at: 'start' } as const)
        : ({ message: 'system', at: 'end' } as const);
    return { pass: true, data, edits: [{ ...place, add }] };
  },
});
