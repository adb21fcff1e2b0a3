import { asNumber, asObject, asObjects, asString, compact, type JsonObject } from '../../json.ts';
import type { Logprobs } from '../neutral.ts';

/** Log probabilities of a candidate's `logprobsResult`; undefined when it has none. */
export function decodeLogprobs(candidate: JsonObject): Logprobs | undefined {
  const result = asObject(candidate.logprobsResult);
  if (result === undefined) return undefined;
  const top = asObjects(result.topCandidates);
  const content = asObjects(result.chosenCandidates).map((chosen, index) => ({
    ...tokenOf(chosen),
    top_logprobs: asObjects(top[index]?.candidates).map(tokenOf),
  }));
  return { content, refusal: null };
}

function tokenOf(candidate: JsonObject): JsonObject {
  return {
    token: asString(candidate.token) ?? '',
    logprob: asNumber(candidate.logProbability) ?? 0,
    bytes: null,
  };
}

export function encodeLogprobs(logprobs: Logprobs): JsonObject {
  const content = asObjects(logprobs.content);
  return {
    topCandidates: content.map((token) => ({ candidates: asObjects(token.top_logprobs).map(candidateOf) })),
    chosenCandidates: content.map(candidateOf),
  };
}

function candidateOf(token: JsonObject): JsonObject {
  return compact({ token: asString(token.token), logProbability: asNumber(token.logprob) });
}
