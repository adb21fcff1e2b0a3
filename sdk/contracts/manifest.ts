import type { Static } from 'typebox';
import Type from '../type-builders.ts';
import { directoryKinds } from './directory.ts';

/** The phases of the pipeline, in run order. */
export const phaseNames = [
  'identify',
  'resolve',
  'admit',
  'prepare',
  'beforeRequest',
  'lookup',
  'attempt',
  'afterRequest',
  'settle',
  'log',
] as const;
export type PhaseName = (typeof phaseNames)[number];

/** What checks may see of a request beside its texts. */
export const requestParts = ['body', 'headers', 'metadata', 'credentials'] as const;
export type RequestPart = (typeof requestParts)[number];

const name = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
  description: 'Lower-case letters, digits and dashes; the folder has the same name.',
});

/** Of a guardrail in the sandbox whose manifest says nothing else. */
export const standardLimits = { memoryMb: 32, outboundCalls: 10 } as const;

/** What `plugin.json` holds: authority is data, checked before any code is imported. */
export const manifestSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name,
    kind: Type.Union([Type.Literal('provider'), Type.Literal('plugin'), Type.Literal('guardrail')]),
    version: Type.String({ description: 'Semantic version of the unit, such as 1.0.0.' }),
    sdk: Type.String({ description: 'Semver range of the sdk that the unit was written for, such as ^1.0.0.' }),
    title: Type.String({ minLength: 1, maxLength: 80 }),
    description: Type.Optional(Type.String({ maxLength: 500 })),
    phases: Type.Optional(
      Type.Array(Type.Enum([...phaseNames]), {
        uniqueItems: true,
        description: 'The phases that a plugin implements.',
      }),
    ),
    serves: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        uniqueItems: true,
        description:
          'The config features that the plugin acts on; a config that asks for a feature nobody serves is refused.',
      }),
    ),
    control: Type.Optional(
      Type.Boolean({ description: 'Whether it brings resources, routes or jobs to the control plane.' }),
    ),
    tables: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z][a-z0-9_]{0,62}$' }), {
        uniqueItems: true,
        description: 'The tables that are its own: its migrations make them, and only it may query them.',
      }),
    ),
    environment: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>({
        type: 'object',
        propertyNames: { pattern: '^[A-Z][A-Z0-9_]*$' },
        additionalProperties: { type: 'string', minLength: 1, maxLength: 300 },
        description: 'What the variables of permissions.env mean, for the documents.',
      }),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          memoryMb: Type.Optional(
            Type.Integer({
              minimum: 8,
              maximum: 256,
              description: `Memory of its sandbox. Default ${standardLimits.memoryMb}.`,
            }),
          ),
          outboundCalls: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 100,
              description: `Calls to the network in one run. Default ${standardLimits.outboundCalls}.`,
            }),
          ),
        },
        { additionalProperties: false, description: 'Bounds of a guardrail that runs in the sandbox.' },
      ),
    ),
    permissions: Type.Optional(
      Type.Object(
        {
          directory: Type.Optional(
            Type.Array(Type.Enum([...directoryKinds]), {
              description: 'The kinds of records that it may look up; `provider` holds credentials.',
            }),
          ),
          net: Type.Optional(
            Type.Array(Type.String({ pattern: '^[a-zA-Z0-9.*-]+:([0-9]{1,5}|\\*)$' }), {
              description: 'host:port pairs that it may call; `*.` covers subdomains, `*:*` any place.',
            }),
          ),
          env: Type.Optional(
            Type.Array(Type.String({ pattern: '^[A-Z][A-Z0-9_]*$' }), {
              description: 'Environment variables that it may read.',
            }),
          ),
          request: Type.Optional(
            Type.Array(Type.Enum([...requestParts]), {
              uniqueItems: true,
              description:
                'What checks may see of a request beside its texts. `headers` holds none with a credential; `credentials` lets them ask for those by name, in this process only.',
            }),
          ),
          models: Type.Optional(
            Type.Boolean({ description: 'Whether its checks may ask models, through the gateway and as the caller.' }),
          ),
          sandbox: Type.Optional(
            Type.Boolean({ description: 'Whether its checks may run code of others in the sandbox.' }),
          ),
          checks: Type.Optional(Type.Boolean({ description: 'Whether the plugin may run the checks of guardrails.' })),
          counters: Type.Optional(Type.Boolean({ description: 'Whether the plugin may count against limits.' })),
          logs: Type.Optional(Type.Boolean({ description: 'Whether the plugin may write and read the request logs.' })),
          bodies: Type.Optional(
            Type.Boolean({
              description: 'Whether its log phase gets what was said, beside the record of the request.',
            }),
          ),
          redis: Type.Optional(
            Type.Boolean({
              description: "Whether the plugin may keep bytes in the operator's Redis, under its own name.",
            }),
          ),
          file: Type.Optional(
            Type.Array(Type.Enum(['keys', 'configs', 'providers', 'guardrails', 'guardrailCredentials']), {
              description: "Sections of the operator's file that it may read.",
            }),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

export type Manifest = Static<typeof manifestSchema>;
