import { field, type JsonObject, nullable, type Operation, schema } from 'portcullis/sdk';
import { recipientsShape, sharingShape, shownRecipients, shownSharing } from '../sharing/shown.ts';
import type { Share } from '../sharing/table.ts';
import type { PromptContent } from './content.ts';
import type { VersionedRecord } from './table.ts';

export const textOrNull = () => schema.Unsafe<string | null>({ type: ['string', 'null'] });
export const moment = () => schema.Unsafe<string | number>({ type: ['integer', 'string'] });
export const status = () => field.oneOf(['active', 'archived']);

/** Of a version: the Published one is the active one. */
export const versionStatus = ({ published_version }: VersionedRecord, number: number) =>
  number === published_version ? 'active' : 'archived';

/** What a prompt and a partial show alike. */
export const namesShape = {
  id: schema.String(),
  slug: schema.String(),
  name: schema.String(),
  organisation_id: schema.String(),
  workspace_id: schema.String(),
  collection_id: schema.String(),
  status: status(),
  created_at: moment(),
  last_updated_at: moment(),
};

/** What a version of a prompt holds. */
export const contentShape = {
  string: schema.String(),
  parameters: field.object(),
  model: textOrNull(),
  virtual_key: schema.String(),
  functions: nullable(schema.Array(field.object())),
  tools: nullable(schema.Array(field.object())),
  tool_choice: field.json(),
  template_metadata: nullable(field.object()),
  is_raw_template: schema.Unsafe<0 | 1>({ enum: [0, 1] }),
};

/** What the template names; the names of partials with their versions. */
export const componentsShape = schema.Object(
  {
    partials: schema.Array(schema.String()),
    sections: schema.Array(schema.String()),
    variables: schema.Array(schema.String()),
    sectionVariables: schema.Array(schema.String()),
    variablePartials: schema.Array(schema.String()),
  },
  { additionalProperties: false },
);

/** Whose it is, and how far it reaches. */
export const reachShape = {
  ...sharingShape,
  shared_at: nullable(moment()),
  ...recipientsShape,
  prompt_owning_workspace_id: schema.String(),
};

export function shownReach(
  operation: Pick<Operation, 'time' | 'scope'>,
  { workspace_id }: VersionedRecord,
  shares: readonly Share[],
): JsonObject {
  return {
    ...shownSharing(operation, shares),
    ...shownRecipients(operation, workspace_id, shares),
    prompt_owning_workspace_id: workspace_id,
  };
}

export function shownNames({ time }: Pick<Operation, 'time'>, record: VersionedRecord): JsonObject {
  return {
    id: record.id,
    slug: record.slug,
    name: record.name,
    organisation_id: record.organisation_id,
    workspace_id: record.workspace_id,
    collection_id: record.collection_id,
    status: record.status,
    created_at: time(Number(record.created_at)),
    last_updated_at: time(Number(record.last_updated_at)),
  };
}

export function shownContent(content: PromptContent): JsonObject {
  return {
    string: content.string,
    parameters: content.parameters,
    model: content.model,
    virtual_key: content.virtual_key,
    functions: content.functions,
    tools: content.tools,
    tool_choice: content.tool_choice,
    template_metadata: content.template_metadata,
    is_raw_template: content.is_raw_template,
  };
}

export const listOf = (items: Parameters<typeof schema.Array>[0]) =>
  schema.Object(
    { object: schema.Literal('list'), total: schema.Integer(), data: schema.Array(items) },
    { additionalProperties: false },
  );
