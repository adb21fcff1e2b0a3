import { check, schema } from 'portcullis/sdk';
import { inList, type ModelTest, modelList } from './model-names.ts';
import { notParameter, strict, unusable } from './parameters.ts';
import { refuseUnread } from './unread-body.ts';
import { judged } from './verdict.ts';

const maxShown = 20;

interface Rule {
  readonly key: string;
  readonly value: string;
  readonly listed: ModelTest;
}

export default check({
  title: 'Model rules',
  description:
    'Passes when the requested model is in the lists that belong to the metadata of the request, or in the default list when none does.',
  config: schema.Object(
    {
      rules: schema.Object(
        {
          defaults: schema.Optional(modelList('For requests that no rule of the metadata is about.', 0)),
          metadata: schema.Optional(
            schema.Unsafe<Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>({
              type: 'object',
              maxProperties: 100,
              propertyNames: { minLength: 1, maxLength: 128 },
              description: 'By key and value of the metadata, the models.',
              additionalProperties: {
                type: 'object',
                minProperties: 1,
                maxProperties: 200,
                propertyNames: { maxLength: 512 },
                additionalProperties: modelList('The models.', 1),
              },
            }),
          ),
        },
        strict,
      ),
      not: notParameter,
    },
    strict,
  ),
  phases: ['beforeRequest'],
  scans: false,
  prepare({ rules: { defaults = [], metadata = {} }, not }) {
    const rules: readonly Rule[] = Object.entries(metadata).flatMap(([key, byValue]) =>
      Object.entries(byValue).map(([value, models]) => ({ key, value, listed: inList(models) })),
    );
    if (defaults.length === 0 && rules.length === 0)
      throw unusable('rules', 'rules names no model: give defaults, metadata or both.');
    return { listed: inList(defaults), rules, not };
  },
  run(input, { listed, rules, not }) {
    if (not) refuseUnread(input);
    const { model, metadata } = input;
    const matching = rules.filter(({ key, value }) => Object.hasOwn(metadata, key) && metadata[key] === value);
    const tests = matching.length === 0 ? [listed] : matching.map((rule) => rule.listed);
    const holds = tests.some((test) => test(model));
    const whose = matching.length === 0 ? 'the default list' : 'the lists that belong to the metadata';
    const explanation = `The model is ${holds ? '' : 'not '}in ${whose}.`;
    const matched = matching.slice(0, maxShown).map(({ key, value }) => ({ key, value }));
    return judged({ holds, not, explanation, data: { requestedModel: model.slice(0, 256), matchedRules: matched } });
  },
});
