import { asArray, asString, type Json, type Settings } from 'portcullis/sdk';

/** The betas of the body and of the header, each once; undefined: none. */
export function betasOf(given: Json | undefined, { anthropicBeta }: Settings): Json | undefined {
  const listed = typeof given === 'string' ? given.split(',') : asArray(given);
  const all = [...listed, ...(asString(anthropicBeta) ?? '').split(',')];
  const betas = [...new Set(all.flatMap((beta) => (typeof beta === 'string' ? beta.trim() || [] : [])))];
  return betas.length === 0 ? undefined : betas;
}
