import {
  type Action,
  type ControlHost,
  type Endpoint,
  field,
  type JsonObject,
  type Operation,
  schema,
} from 'portcullis/sdk';
import { runTrial, type Sample } from '../trial.ts';
import { principalOf } from './principal.ts';
import { demandAny, guardrailOfPath } from './reach.ts';
import { acceptedGuardrail, type Saved } from './read-saved.ts';
import { joined } from './secret-parameters.ts';

const endpoints = [
  'chatComplete',
  'complete',
  'embed',
  'rerank',
  'imageGenerate',
  'messages',
  'createModelResponse',
  'proxy',
] as const satisfies readonly Endpoint[];

const longestText = 1_048_576;

const sample = {
  phase: field.oneOf(['beforeRequest', 'afterRequest']),
  text: schema.Optional(field.text({ max: longestText, description: 'In the place of body or reply: one message.' })),
  endpoint: schema.Optional({ ...field.oneOf(endpoints), description: 'Default chatComplete.' }),
  body: schema.Optional(field.object({ description: 'The request, in the format of the endpoint.' })),
  reply: schema.Optional(field.object({ description: 'What came back, for afterRequest.' })),
  metadata: schema.Optional(field.strings()),
  headers: schema.Optional(field.strings(8192)),
  provider: schema.Optional(field.text({ min: 1 })),
  model: schema.Optional(field.text({ min: 1 })),
};

const definition = {
  checks: field.list(field.object(), { minItems: 1, maxItems: 100 }),
  actions: schema.Optional(field.object()),
};

/** Whoever may use a guardrail on requests, or change it. A key that may merely send requests may not try things out. */
const ofWorkspace = ['guardrails.invoke', 'guardrails.create', 'guardrails.update'];
const ofOrganisation = ['organisation_guardrails.create', 'organisation_guardrails.update'];

const common = {
  method: 'post',
  in: 'either',
  reply: field.object({ description: 'The entry that `hook_results` would hold.' }),
  // Checks may call out. Nothing is changed, and what is sent is nobody's to read in the audit log.
  transaction: false,
  audited: false,
} as const satisfies Partial<Action>;

/** Runs of a guardrail on a sample, without any request. */
export function trials(host: ControlHost): readonly Action[] {
  return [
    {
      ...common,
      path: '/guardrails/:id/test',
      summary: 'Run a guardrail on a sample',
      needs: [...ofWorkspace, ...ofOrganisation],
      body: schema.Object(sample),
      run: async (operation) => {
        const record = await guardrailOfPath(operation);
        demandTrial(operation, record.workspace_id ?? operation.scope.workspaceId);
        const secrets = await operation.records('guardrails').secrets(record);
        const { id, actions } = record;
        return tried(host, operation, { id, actions, checks: joined(record.checks, secrets) });
      },
    },
    {
      ...common,
      path: '/guardrails/test',
      summary: 'Run a guardrail that is not saved on a sample',
      needs: ['guardrails.create', 'organisation_guardrails.create'],
      body: schema.Object({ ...definition, ...sample }),
      run: async (operation) => {
        const { workspaceId } = operation.scope;
        const needed = workspaceId === undefined ? 'organisation_guardrails.create' : 'guardrails.create';
        demandAny(operation.access, [needed], workspaceId);
        const saved = await acceptedGuardrail(operation, host.checks, operation.body);
        return tried(host, operation, { id: 'test', ...saved });
      },
    },
  ];
}

function demandTrial({ access }: Operation, workspaceId: string | undefined): void {
  demandAny(access, workspaceId === undefined ? ofOrganisation : ofWorkspace, workspaceId);
}

function tried(
  host: ControlHost,
  operation: Operation,
  guardrail: Saved & { readonly id: string },
): Promise<JsonObject> {
  const { organisationId } = operation.scope;
  return runTrial(guardrail, sampleOf(operation.body), {
    checks: host.checks,
    credentialsOf: async (unit) => (await host.directory.get('checkCredentials', organisationId, unit))?.credentials,
    principal: principalOf(operation),
    now: host.now,
    newId: host.newId,
    log: host.log,
  });
}

/** The body has been held against the schema. */
function sampleOf(body: JsonObject): Sample {
  const given = Object.keys(sample).flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]));
  return Object.fromEntries(given) as unknown as Sample;
}
