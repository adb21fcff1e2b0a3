import { asNumber, asObject, type CheckHost, callJson, check, compact } from 'portcullis/sdk';
import { config } from './config.ts';
import { contextOf } from './context.ts';
import type { Credentials } from './credentials.ts';
import { findingsOf } from './findings.ts';
import { searchRequest } from './search-request.ts';

/** As many as the data of a verdict have room for. */
const maxSources = 12;

/** Adds what Tavily finds about the last question to the instructions of the model. */
export const online = check({
  title: 'Tavily online search',
  description: 'Searches the web for the last thing that the user said, and adds what is found to the system message.',
  config,
  phases: ['beforeRequest'],
  endpoints: ['chatComplete', 'complete', 'messages', 'createModelResponse'],
  scans: false,
  edits: 'only',
  remote: { timeoutMs: 30_000 },
  run: async ({ endpoint, prompt }, options, host: CheckHost<Credentials>) => {
    const question = prompt.trim();
    if (question === '') return { pass: true };
    const reply = await callJson(host, {
      vendor: 'Tavily',
      url: 'https://api.tavily.com/search',
      headers: { authorization: `Bearer ${host.credentials.apiKey}` },
      body: searchRequest(question, options),
    });
    const findings = findingsOf(reply);
    const data = compact({
      sources: findings.results.slice(0, maxSources).map(({ title, url, favicon }) => compact({ title, url, favicon })),
      credits: asNumber(asObject(reply.usage)?.credits),
    });
    if (findings.results.length === 0) return { pass: true, data };
    const add = contextOf(findings, options.prefix, options.suffix);
    // A bare prompt has no system message: there the results stand before it.
    const place =
      endpoint === 'complete'
        ? ({ message: 'user', at: 'start' } as const)
        : ({ message: 'system', at: 'end' } as const);
    return { pass: true, data, edits: [{ ...place, add }] };
  },
});
