import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Guardrail, JsonObject } from 'portcullis/sdk';
import model from '../../guardrails/model/index.ts';
import patronus from '../../guardrails/patronus/index.ts';
import portkey from '../../guardrails/portkey/index.ts';
import qualifire from '../../guardrails/qualifire/index.ts';

const [plain, negated] = [{ not: false }, { not: true }];
const rows: readonly (readonly [name: string, unit: Guardrail, whole: readonly (readonly [string, JsonObject])[]])[] = [
  ['patronus', patronus, ['isConcise', 'isHelpful', 'isPolite', 'retrievalAnswerRelevance', 'custom'].map(any)],
  ['patronus', patronus, [any('retrievalHallucination')]],
  ['qualifire', qualifire, ['hallucinations', 'grounding', 'policy'].map(any)],
  ['model', model, [any('language'), ['gibberish', negated], ['moderation', negated]]],
  ['portkey', portkey, [any('language'), ['gibberish', negated], ['moderateContent', negated], ['pii', negated]]],
];
const pieces: readonly (readonly [name: string, unit: Guardrail, checks: readonly string[]])[] = [
  ['patronus', patronus, ['noApologies', 'noGenderBias', 'noRacialBias', 'toxicity', 'phi', 'pii']],
  ['qualifire', qualifire, ['contentModeration', 'pii']],
  ['model', model, ['gibberish', 'injection', 'moderation']],
  ['portkey', portkey, ['gibberish', 'moderateContent', 'pii']],
];

function any(check: string): readonly [string, JsonObject] {
  return [check, plain];
}

function isWhole({ checks }: Guardrail, name: string, config: JsonObject): boolean {
  const { whole } = checks[name] ?? assert.fail(`There is no ${name}.`);
  return typeof whole === 'function' ? whole(config as never) : whole === true;
}

describe('checks of models', () => {
  for (const [name, unit, checks] of rows)
    for (const [check, config] of checks)
      it(`judge replies as a whole: ${name}.${check} with ${JSON.stringify(config)}`, () =>
        assert.equal(isWhole(unit, check, config), true));

  for (const [name, unit, checks] of pieces)
    for (const check of checks)
      it(`find what must not be there in pieces: ${name}.${check}`, () =>
        assert.equal(isWhole(unit, check, plain), false));
});
