import {
  type ControlHost,
  detail,
  field,
  type Resource,
  type ResourceHooks,
  readOnly,
  required,
  type StoredRecord,
  schema,
} from 'portcullis/sdk';
import { refuseWhileConfigured } from './config-uses.ts';
import { permission } from './reach.ts';
import { getGuardrail, listGuardrails } from './read.ts';
import { acceptedGuardrail } from './read-saved.ts';
import { joined, parted } from './secret-parameters.ts';
import type { GuardrailRecord } from './table.ts';
import { trials } from './trials.ts';
import { appendVersion, versions } from './versions.ts';

/** What people save of guardrails. Reading has routes of its own: workspaces see the organisation's as well. */
export function guardrails(host: ControlHost): Resource {
  return {
    name: 'guardrails',
    object: 'guardrail',
    title: 'Guardrails',
    path: '/guardrails',
    owner: 'either',
    permission,
    slug: { prefix: 'pg' },
    removal: 'archive',
    operations: ['create', 'update', 'remove'],
    columns: ['name', 'version_id', 'owner_id', 'updated_by'],
    fields: {
      name: required(field.name()),
      checks: detail(
        required(
          field.list(field.object({ description: 'A check: `{ id, parameters, name, is_enabled }`.' }), {
            minItems: 1,
            maxItems: 100,
          }),
        ),
      ),
      actions: detail(
        required(field.object({ description: 'What follows: `{ deny, async, on_success, on_fail }` and more.' })),
      ),
      check_credentials: readOnly(schema.Unsafe<object>({ type: 'object', 'x-secret': true })),
      version_id: detail(readOnly(field.id())),
      owner_id: readOnly(field.id()),
      updated_by: readOnly(field.id()),
    },
    hooks: hooks(host) as ResourceHooks,
    replies: { create: names, update: names },
    actions: [listGuardrails, getGuardrail, versions, ...trials(host)],
  };
}

const names = {
  schema: schema.Object(
    { id: field.id(), slug: field.slug(), version_id: field.id() },
    { additionalProperties: false },
  ),
  of: ({ record }: { readonly record: StoredRecord }) => {
    const { id, slug, version_id } = record as GuardrailRecord;
    return { id, slug, version_id };
  },
};

function hooks(host: Pick<ControlHost, 'checks'>): ResourceHooks<GuardrailRecord> {
  return {
    async create(operation, body) {
      const { checks, actions } = await acceptedGuardrail(operation, host.checks, body);
      return {
        ...parted(checks, host.checks),
        actions,
        version_id: operation.newId(),
        owner_id: operation.actorId,
        updated_by: operation.actorId,
      };
    },
    created: appendVersion,
    async update(operation, record, body) {
      if (Object.keys(body).length === 0) return {};
      const change = { version_id: operation.newId(), updated_by: operation.actorId };
      if (body.checks === undefined && body.actions === undefined) return change;
      const before = joined(record.checks, await operation.records('guardrails').secrets(record));
      const { checks, actions } = await acceptedGuardrail(operation, host.checks, {
        checks: body.checks ?? before,
        actions: body.actions ?? record.actions,
      });
      return { ...change, ...parted(checks, host.checks), actions };
    },
    async updated(operation, before, after) {
      if (after.version_id !== before.version_id) await appendVersion(operation, after);
    },
    remove: refuseWhileConfigured,
  };
}
