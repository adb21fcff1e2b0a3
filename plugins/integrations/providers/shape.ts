import { field, schema } from 'portcullis/sdk';

const orNull = (type: string) => schema.Unsafe<unknown>({ type: [type, 'null'] });
const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });
const momentOrNull = () => schema.Unsafe<string | number | null>({ type: ['integer', 'string', 'null'] });

/** A provider as replies show it, in a list as well. */
export const providerShape = schema.Object(
  {
    id: schema.String(),
    slug: schema.String(),
    organisation_id: schema.String(),
    workspace_id: schema.String(),
    name: schema.String(),
    integration_id: schema.String(),
    note: orNull('string'),
    status: field.oneOf(['active', 'exhausted', 'expired']),
    usage_limits: orNull('object'),
    rate_limits: field.list(field.object()),
    reset_usage: schema.Unsafe<null>({ type: 'null' }),
    expires_at: momentOrNull(),
    last_reset_at: momentOrNull(),
    tags: orNull('object'),
    created_at: moment(),
    last_updated_at: moment(),
    object: schema.Literal('provider'),
  },
  { additionalProperties: false },
);
