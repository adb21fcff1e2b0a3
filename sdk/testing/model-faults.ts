import { GatewayError } from '../errors.ts';

/** The ways in which a model fails that a replay plays through. */
export const modelFaults = [
  'model-refused',
  'model-silent',
  'model-says-nothing',
  'model-rambles',
  'model-other-shape',
] as const;
export type ModelFault = (typeof modelFaults)[number];

const said: Readonly<Partial<Record<ModelFault, string>>> = {
  'model-says-nothing': '',
  'model-rambles': 'I am sorry, but as a large language model I would rather talk about the weather.',
  'model-other-shape': '{"unexpected":{"shape":[1]}}',
};

/** Fails in one way. `timeUp` ends the check's time: nobody waits for an answer that does not come. */
export function failAnswer(fault: ModelFault, timeUp: () => void): string | Promise<string> {
  if (fault === 'model-refused') throw new GatewayError('upstream_error', 'The model refused the question.');
  const answer = said[fault];
  if (answer !== undefined) return answer;
  timeUp();
  return new Promise(() => {});
}

export function isModelFault(fault: string): fault is ModelFault {
  return modelFaults.some((known) => known === fault);
}
