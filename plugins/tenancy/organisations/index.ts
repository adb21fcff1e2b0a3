import { type Action, type ControlHost, field, type Resource, schema } from 'portcullis/sdk';
import { readOrganisation } from '../own-organisation.ts';
import { closed, organisationShape, shape } from '../reply.ts';
import { createOrganisation } from './create.ts';
import { demandProof, listedDomain, lookupTexts, withProven } from './domains.ts';
import { changeableFields, defaultsBody, organisationBody } from './fields.ts';
import { showDefaults, showOrganisation } from './show.ts';
import { readDefaults, updateOrganisation } from './update.ts';

const reads: Pick<Action, 'needs' | 'in' | 'admin'> = {
  needs: ['organisation_settings.read'],
  in: 'organisation',
  admin: true,
};
const writes: Pick<Action, 'needs' | 'in' | 'admin'> = { ...reads, needs: ['organisation_settings.update'] };
const founded = closed({
  object: schema.Literal('organisation'),
  id: schema.String(),
  slug: shape.text(),
  name: schema.String(),
  default_workspace: shape.members(),
  owner: shape.members(),
  created_at: shape.moment(),
});
const proven = closed({ object: schema.Literal('domain'), domain: schema.String(), verified: schema.Boolean() });
const defaultsShape = closed({
  metadata: shape.members(),
  config_id: shape.text(),
  input_guardrails: schema.Array(shape.members()),
  output_guardrails: schema.Array(shape.members()),
});

/** Organisations: each caller sees its own, which is why there are no paths with an id. */
export function organisations(host: ControlHost): Resource {
  const closed = /^(on|true|1)$/i.test(host.env('DISABLE_ORG_CREATION') ?? '');
  return {
    name: 'organisations',
    object: 'organisation',
    title: 'Organisations',
    path: '/organisations',
    owner: 'organisation',
    permission: 'organisation_settings',
    slug: { prefix: 'org', length: 20, given: true },
    operations: [],
    columns: ['name'],
    fields: { ...changeableFields, default_workspace_id: field.id() },
    actions: [
      {
        ...reads,
        method: 'get',
        path: '/organisation',
        summary: 'Get the own organisation with its settings',
        reply: organisationShape,
        run: async (operation) => showOrganisation(operation, await readOrganisation(operation)),
      },
      {
        ...writes,
        method: 'put',
        path: '/organisation',
        summary: 'Change the own organisation and its settings',
        body: organisationBody,
        reply: organisationShape,
        run: async (operation) =>
          showOrganisation(operation, await updateOrganisation(operation, await readOrganisation(operation), host)),
      },
      {
        ...reads,
        method: 'get',
        path: '/organisation/defaults',
        summary: 'Get what every workspace starts from',
        reply: defaultsShape,
        run: async (operation) => showDefaults(operation, await readOrganisation(operation)),
      },
      {
        ...writes,
        method: 'put',
        path: '/organisation/defaults',
        summary: 'Change what every workspace starts from',
        body: defaultsBody,
        reply: defaultsShape,
        run: async (operation) => {
          const before = await readOrganisation(operation);
          const defaults = await readDefaults(operation, before, operation.body);
          const scope = { organisationId: before.id };
          const after = await operation.records('organisations').update(scope, before.id, { defaults });
          return showDefaults(operation, after);
        },
      },
      {
        ...writes,
        method: 'post',
        path: '/organisations',
        summary: 'Create another organisation with its default workspace',
        body: schema.Object({ name: field.name(), slug: schema.Optional(field.slug()) }),
        reply: founded,
        run: (operation) => createOrganisation(operation, closed),
      },
      {
        ...writes,
        method: 'post',
        path: '/organisation/domains/:domain/verify',
        summary: 'Prove that an e-mail domain is the own one',
        reply: proven,
        // Names are looked up elsewhere, and the store is not held meanwhile.
        transaction: false,
        run: async (operation) => {
          const asked = await readOrganisation(operation);
          const entry = listedDomain(asked, operation.params.domain ?? '');
          await demandProof(entry, lookupTexts);
          const scope = { organisationId: asked.id };
          await host.transaction(scope, async (own) => {
            const record = await own.records('organisations').get(scope, asked.id);
            const auth_settings = withProven(record, String(entry.domain));
            await own.records('organisations').update(scope, record.id, { auth_settings });
          });
          return { domain: entry.domain ?? null, verified: true, object: 'domain' };
        },
      },
    ],
  };
}
