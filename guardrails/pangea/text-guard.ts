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
  type JsonObject,
  type PieceBounds,
  piecesOf,
  schema,
} from 'portcullis/sdk';
import { askPangea } from './ask.ts';
import type { Credentials } from './credentials.ts';

/** What the service reads at once, in bytes of UTF-8; longer texts go in pieces that are no longer, whatever their language. */
const maxBytes = 20 * 1024;
const bounds: PieceBounds = { longest: 6000, overlap: 500, most: 32 };

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
    const asked = readAtOnce(text).map((piece) =>
      askPangea(host, 'ai-guard', 'v1/text/guard', compact({ text: piece, recipe, debug, overrides })),
    );
    const results = await Promise.all(asked);
    const fired = results.flatMap(detectionsOf);
    const names = [...new Set(fired.map(([name]) => name))].toSorted();
    const found = (name: string) => fired.flatMap(([other, findings]) => (other === name ? findings : []));
    const detected = Object.fromEntries(names.map((name) => [name, [...new Set(found(name))]]));
    const blocked = results.some((result) => result.blocked === true);
    const data = { blocked, detected };
    if (fired.length === 0 && !blocked) return { pass: true, data };
    const what = names.join(', ');
    return { pass: false, why: what === '' ? 'Pangea has blocked the text.' : `Pangea has detected: ${what}.`, data };
  },
});

/** @throws GatewayError `check_failed` for a text that takes more calls than a check makes */
function readAtOnce(text: string): readonly string[] {
  return Buffer.byteLength(text) <= maxBytes ? [text] : piecesOf(text, bounds);
}

/** The detectors that have found something, each with what it found. */
function detectionsOf(result: JsonObject): (readonly [string, readonly string[]])[] {
  const detectors = asObject(result.detectors);
  if (detectors === undefined) throw new GatewayError('check_failed', 'Pangea answered without detectors.');
  return Object.entries(detectors).flatMap(([name, detector]) =>
    hasDetected(name, detector) ? [[name, findingsOf(detector)] as const] : [],
  );
}

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
