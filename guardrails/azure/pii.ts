import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  type CheckHost,
  check,
  compact,
  type Edit,
  field,
  GatewayError,
  type JsonObject,
  type PieceBounds,
  placedPiecesOf,
  schema,
} from 'portcullis/sdk';
import { apiVersion } from './api-version.ts';
import { azureAt } from './ask.ts';
import type { Credentials } from './credentials.ts';

/**
 * What the service takes in one call: https://learn.microsoft.com/azure/ai-services/language-service/concepts/data-limits.
 * A document may have 5,120 text elements, each of one UTF-16 unit at least.
 */
const documentsPerCall = 5;
const maxDocuments = 32 * documentsPerCall;
/** The overlap is longer than anything that is looked for. */
const bounds: PieceBounds = { longest: 5000, overlap: 250, most: maxDocuments };

/** A text, or a piece of one, as it is sent, and where in the text it begins. */
interface Document {
  readonly id: string;
  readonly index: number;
  readonly start: number;
  readonly text: string;
}

/** Source: https://learn.microsoft.com/rest/api/language/text-analysis-runtime/analyze-text */
export default check({
  title: 'Azure personal data',
  description: 'Fails when there is personal data in the text, or masks it.',
  config: schema.Object(
    {
      domain: schema.Enum(['none', 'phi'], { default: 'none' }),
      modelVersion: schema.String({ default: 'latest', minLength: 1, maxLength: 64 }),
      language: schema.String({ default: 'en', minLength: 2, maxLength: 16 }),
      piiCategories: schema.Optional(
        field.list(schema.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 200 }),
      ),
      redact: schema.Boolean({ default: false, description: 'Masks what is found, and passes.' }),
      apiVersion: apiVersion('2024-11-01'),
    },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run({ texts }, { redact, apiVersion, language, ...chosen }, host: CheckHost<Credentials>) {
    const filled = texts.filter(({ text }) => text.trim() !== '');
    if (filled.length === 0) return { pass: true };
    const asked = filled.flatMap(({ index, text }) =>
      placedPiecesOf(text, bounds).map(
        (piece, at): Document => ({ ...piece, index, id: at === 0 ? `${index}` : `${index}.${at}` }),
      ),
    );
    if (asked.length > maxDocuments) {
      const most = `${maxDocuments} texts at most, long ones as several`;
      throw new GatewayError('check_failed', `The check reads ${most}; here are ${asked.length}.`);
    }
    const ask = await azureAt(host, 'pii', 'language/:analyze-text', apiVersion);
    const parameters = compact({ ...chosen, stringIndexType: 'Utf16CodeUnit' });
    const calls = batches(asked).map(async (batch) => {
      const documents = batch.map(({ id, text }) => ({ id, language, text }));
      const body = { kind: 'PiiEntityRecognition', parameters, analysisInput: { documents } };
      const reply = await ask(body);
      return batch.flatMap((document) => entitiesOf(document, asObject(reply.results)));
    });
    const entities = (await Promise.all(calls)).flat();
    const categories = [...new Set(entities.map(({ category }) => category))];
    if (entities.length === 0) return { pass: true, data: { categories } };
    if (redact) return { pass: true, data: { categories }, edits: entities.map(({ mask }) => mask) };
    return { pass: false, why: `There is personal data in the text: ${categories.join(', ')}.`, data: { categories } };
  },
});

function batches(asked: readonly Document[]): readonly (readonly Document[])[] {
  const starts = Array.from({ length: Math.ceil(asked.length / documentsPerCall) }, (_, at) => at * documentsPerCall);
  return starts.map((start) => asked.slice(start, start + documentsPerCall));
}

function entitiesOf(
  { id, index, start: from, text }: Document,
  results: JsonObject | undefined,
): { category: string; mask: Edit }[] {
  const document = asObjects(results?.documents).find((one) => one.id === id);
  if (!Array.isArray(document?.entities))
    throw new GatewayError('check_failed', `Azure answered without the entities of text ${index}.`);
  if (asObjects(document.warnings).some(({ code }) => code === 'DocumentTruncated'))
    throw new GatewayError('check_failed', `Azure has read only the beginning of text ${index}.`);
  return asArray(document.entities).map((entity) => {
    const { category, offset, length } = asObject(entity) ?? {};
    const start = asNumber(offset) ?? -1;
    const end = start + (asNumber(length) ?? 0);
    if (start < 0 || end <= start || end > text.length)
      throw new GatewayError('check_failed', 'Azure has found personal data at a position outside the text.');
    return {
      category: asString(category) ?? 'other',
      mask: { text: index, start: from + start, end: from + end, with: '*'.repeat(end - start) },
    };
  });
}
