import { check, schema } from 'portcullis/sdk';
import { inList, modelList } from './model-names.ts';
import { notParameter, strict } from './parameters.ts';
import { refuseUnread } from './unread-body.ts';
import { judged } from './verdict.ts';

const maxShown = 50;

export default check({
  title: 'Model whitelist',
  description: 'Passes when the requested model is in the list.',
  config: schema.Object({ models: modelList('The models.', 1), not: notParameter }, strict),
  phases: ['beforeRequest'],
  scans: false,
  prepare: ({ models, not }) => ({ models, not, listed: inList(models) }),
  run(input, { models, not, listed }) {
    if (not) refuseUnread(input);
    const { model } = input;
    const holds = listed(model);
    const explanation = holds ? 'The model is in the list.' : 'The model is not in the list.';
    const data = { requestedModel: model.slice(0, 256), allowedModels: models.slice(0, maxShown) };
    return judged({ holds, not, explanation, data });
  },
});
