import { asObject, asString, parseJson } from 'portcullis/sdk';
import { storedGatewayRow } from './gateway.ts';
import { type NeighbourCosts, neighbourCosts, type TurnsPlan } from './neighbours.ts';
import { requestBody } from './traffic.ts';

/** The chat request of the bench, as a template with one variable. */
const subject = 'bridges, gates and towers of the twelfth century';

/** Measures a saved prompt beside the same chat completion sent directly. */
export function promptCosts(plan: TurnsPlan): Promise<NeighbourCosts> {
  const { model, messages, ...parameters } = asObject(parseJson(requestBody('json'))) ?? {};
  let slug = '';
  const row = storedGatewayRow([], {
    policies: false,
    prompt: async (create) => {
      const string = JSON.stringify(messages).replaceAll(subject, '{{subject}}');
      const made = await create({ name: 'Bench', string, parameters, model: asString(model) ?? '' });
      slug = asString(made.slug) ?? '';
    },
  });
  const kinds = () => {
    const asks = { path: `/v1/prompts/${slug}/completions`, body: JSON.stringify({ variables: { subject } }) };
    return [{ name: 'chat completion' }, { name: 'saved prompt', asks }] as const;
  };
  return neighbourCosts(row, kinds, plan);
}
