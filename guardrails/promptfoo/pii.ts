import {
  asNumber,
  asObject,
  asObjects,
  asString,
  type CheckHost,
  check,
  type Edit,
  GatewayError,
  type JsonObject,
  type ScannedText,
  schema,
} from 'portcullis/sdk';
import { classify } from './classify.ts';

const maxTexts = 32;

export default check({
  title: 'promptfoo personal data',
  description: 'Fails when there is personal data in the text, or takes it out.',
  config: schema.Object(
    { redact: schema.Boolean({ default: false, description: 'Puts the kind of data in its place, and passes.' }) },
    { additionalProperties: false },
  ),
  phases: ['beforeRequest', 'afterRequest'],
  edits: 'may',
  remote: { timeoutMs: 5000 },
  async run({ texts }, { redact }, host: CheckHost) {
    const filled = texts.filter(({ text }) => text.trim() !== '');
    if (filled.length > maxTexts)
      throw new GatewayError(
        'check_failed',
        `The check asks about ${maxTexts} texts at most; here are ${filled.length}.`,
      );
    const found = await Promise.all(filled.map((text) => entitiesIn(text, host)));
    const entities = found.flat();
    const types = [...new Set(entities.map(typeOf))];
    if (entities.length === 0) return { pass: true, data: { types } };
    if (redact) return { pass: true, data: { types }, edits: entities.flatMap(editsOf) };
    return { pass: false, why: `There is personal data in the text: ${types.join(', ')}.`, data: { types } };
  },
});

interface Found {
  readonly text: ScannedText;
  readonly entity: JsonObject;
}

async function entitiesIn(text: ScannedText, host: CheckHost): Promise<Found[]> {
  const { flagged, result } = await classify(host, 'pii', text.text);
  if (!flagged) return [];
  const listed = asObjects(asObject(result.payload)?.pii);
  if (listed.length === 0)
    throw new GatewayError('check_failed', 'promptfoo has flagged a text without saying what is in it.');
  return listed.map((entity) => ({ text, entity }));
}

function typeOf({ entity }: Found): string {
  return asString(entity.entity_type)?.toUpperCase() ?? 'PII';
}

function editsOf(found: Found): Edit[] {
  const { text, entity } = found;
  const places = placesOf(text.text, entity);
  return places.map(([start, end]) => ({ text: text.index, start, end, with: `[${typeOf(found)}]` }));
}

/** The vendor's own example gives a wrong position: one counts only where the value does stand there, else every occurrence. */
function placesOf(text: string, entity: JsonObject): readonly (readonly [number, number])[] {
  const value = asString(entity.pii) ?? '';
  const start = asNumber(entity.start) ?? -1;
  const end = asNumber(entity.end) ?? -1;
  if (value === '' || !text.includes(value))
    throw new GatewayError('check_failed', 'promptfoo has found personal data that does not stand in the text.');
  if (text.slice(start, end) === value) return [[start, end]];
  const parts = text.split(value);
  const starts = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join(value).length);
  return starts.map((at) => [at, at + value.length] as const);
}
