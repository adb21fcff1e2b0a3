import {
  asObject,
  asObjects,
  asString,
  type CheckHost,
  check,
  compact,
  field,
  GatewayError,
  type Json,
  schema,
} from 'portcullis/sdk';
import { askPangea } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** Source: https://pangea.cloud/docs/ai-guard/apis */
export default check({
  title: 'Pangea AI Guard',
  description: 'Fails when a detector of the recipe has found something.',
  config: schema.Object(
    {
      recipe: schema.Optional(
        schema.String({ minLength: 1, maxLength: 255, description: 'Default: pangea_prompt_guard.' }),
      ),
      debug: schema.Optional(schema.Boolean({ description: 'Asks for a detailed analysis, which Pangea logs.' })),
      overrides: schema.Optional(field.object({ maxProperties: 50 })),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  remote: { timeoutMs: 5000 },
  async run({ text }, { recipe, debug, overrides }, host: CheckHost<Credentials>) {
    if (text.trim() === '') return { pass: true };
    const result = await askPangea(host, 'ai-guard', 'v1/text/guard', compact({ text, recipe, debug, overrides }));
    const detectors = asObject(result.detectors);
    if (detectors === undefined) throw new GatewayError('check_failed', 'Pangea answered without detectors.');
    const fired = Object.entries(detectors).filter(([name, detector]) => hasDetected(name, detector));
    const detected = Object.fromEntries(fired.map(([name, detector]) => [name, findingsOf(detector)]));
    const blocked = result.blocked === true;
    const data = { blocked, detected };
    if (fired.length === 0 && !blocked) return { pass: true, data };
    const what = Object.keys(detected).join(', ');
    return { pass: false, why: what === '' ? 'Pangea has blocked the text.' : `Pangea has detected: ${what}.`, data };
  },
});

/** A detector that the recipe leaves out is null. */
function hasDetected(name: string, detector: Json | undefined): boolean {
  if (detector === null) return false;
  const detected = asObject(detector)?.detected;
  if (typeof detected !== 'boolean')
    throw new GatewayError('check_failed', `Pangea answered without the result of the detector ${name}.`);
  return detected;
}

/** Kinds of entities and names of analyzers; the entities themselves are parts of the text. */
function findingsOf(detector: Json | undefined): string[] {
  const data = asObject(asObject(detector)?.data);
  const named = [...asObjects(data?.entities), ...asObjects(data?.analyzer_responses)];
  return [...new Set(named.flatMap(({ type, analyzer }) => asString(type ?? analyzer) ?? []))];
}
