import { asObject, asString, parseJson } from 'portcullis/sdk';
import { storedGatewayRow } from './gateway.ts';
import { type NeighbourCosts, neighbourCosts, type TurnsPlan } from './neighbours.ts';
import { requestBody } from './traffic.ts';

/** The chat request of the bench, as a template with one variable. */
const subject = 'bridges, gates and towers of the twelfth century';

/** Measures a saved prompt beside the same chat completion sent directly. */
export async function promptCosts(plan: TurnsPlan): Promise<readonly NeighbourCosts[]> {
  const { model, messages, ...parameters } = asObject(parseJson(requestBody('json'))) ?? {};
  let slug = '';
  const row = storedGatewayRow({
    also: async (create) => {
      const string = JSON.stringify(messages).replaceAll(subject, '{{subject}}');
      const template = { name: 'Bench', virtual_key: 'bench', string, parameters, model: asString(model) ?? '' };
      const made = await create('prompts', template);
      slug = asString(made.slug) ?? '';
    },
  });
  const kinds = () => {
    const asks = { path: `/v1/prompts/${slug}/completions`, body: JSON.stringify({ variables: { subject } }) };
    return [
      { name: 'chat completion', row },
      { name: 'saved prompt', row, asks },
    ] as const;
  };
  const about = 'A saved prompt beside the chat completion that it comes to';
  return [await neighbourCosts({ about, rows: [row], kinds }, plan)];
}
