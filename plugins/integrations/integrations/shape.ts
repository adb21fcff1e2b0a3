import { field, schema } from 'portcullis/sdk';
import { pricingAdjustments } from '../pricing.ts';

const textOrNull = () => schema.Unsafe<string | null>({ type: ['string', 'null'] });
const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });

const listed = {
  id: schema.String(),
  slug: schema.String(),
  organisation_id: schema.String(),
  workspace_id: textOrNull(),
  type: field.oneOf(['organisation', 'workspace']),
  ai_provider_id: schema.String(),
  name: schema.String(),
  description: textOrNull(),
  status: field.oneOf(['active', 'archived']),
  created_at: moment(),
  last_updated_at: moment(),
  object: schema.Literal('integration'),
};

/** An integration in a list. */
export const integrationItem = schema.Object(listed, { additionalProperties: false });

/** An integration that is asked for. */
export const integrationDetail = schema.Object(
  {
    ...listed,
    masked_key: schema.Optional(textOrNull()),
    configurations: field.object({ description: 'Secret ones as masked_<name>.' }),
    secret_mappings: schema.Array(field.object()),
    pricing_adjustments: pricingAdjustments,
    tags: schema.Unsafe<object | null>({ type: ['object', 'null'] }),
    allow_all_models: schema.Boolean(),
    global_workspace_access_settings: field.object(),
    workspace_count: field.integer(0),
  },
  { additionalProperties: false },
);
