import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { countText } from './count-text.ts';

/** What users write may look like a special token, and is text all the same. */
const asText = { disallowedSpecial: new Set<string>() };

export interface CountJob {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountResult {
  readonly id: number;
  readonly tokens: readonly number[];
}

parentPort?.on('message', ({ id, texts }: CountJob) => {
  const tokens = texts.map((text) => countText(text, (part) => countTokens(part, asText)));
  parentPort?.postMessage({ id, tokens } satisfies CountResult);
});
