import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import {
  type AnyCheck,
  type CheckHost,
  type CheckInput,
  checkPhases,
  GatewayError,
  type Guardrail,
  guardrail,
  type Json,
  type JsonObject,
  type Manifest,
  schema,
  standardLimits,
} from 'portcullis/sdk';
import { bundleUnit } from './bundle.ts';
import { firstFaultOf } from './first-fault.ts';
import type { Program, Sandbox } from './sandbox.ts';
import { refuseCostly } from './schema-bounds.ts';

export interface SandboxLimits {
  /** Milliseconds that a check which calls nobody may take. Default 500. */
  readonly timeoutMs?: number;
  /** The longest that any other may take; the runner ends it sooner. Default 120,000. */
  readonly remoteMs?: number;
}

interface SandboxedUnit {
  readonly manifest: Manifest;
  /** Absolute path. */
  readonly folder: string;
}

/** A check as the unit declares it: all that is data. */
interface DeclaredCheck {
  readonly title: string;
  readonly description?: string;
  readonly config: JsonObject;
  readonly phases: AnyCheck['phases'];
  readonly endpoints?: NonNullable<AnyCheck['endpoints']>;
  readonly scans?: boolean;
  readonly edits?: 'may' | 'only';
  readonly whole?: boolean;
  readonly remote?: { readonly timeoutMs: number };
  /** Which of its members are functions. */
  readonly functions: readonly string[];
}

const maxOrganisations = 1000;
const objectSchema = {
  type: 'object',
  required: ['type', 'properties'],
  properties: { type: { const: 'object' }, properties: { type: 'object' } },
};
const declaration = schema.Object(
  {
    credentials: schema.Optional(schema.Unsafe<JsonObject>(objectSchema)),
    checks: schema.Record(
      schema.String(),
      schema.Object(
        {
          title: schema.String({ minLength: 1, maxLength: 200 }),
          description: schema.Optional(schema.String({ maxLength: 2000 })),
          config: schema.Unsafe<JsonObject>(objectSchema),
          phases: schema.Array(schema.Enum([...checkPhases]), { minItems: 1, uniqueItems: true }),
          endpoints: schema.Optional(schema.Array(schema.String(), { minItems: 1 })),
          scans: schema.Optional(schema.Boolean()),
          edits: schema.Optional(schema.Enum(['may', 'only'])),
          whole: schema.Optional(schema.Boolean()),
          remote: schema.Optional(schema.Object({ timeoutMs: schema.Integer({ minimum: 1, maximum: 600_000 }) })),
          functions: schema.Unsafe<readonly string[]>({ type: 'array', contains: { const: 'run' } }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);
const faultOf = firstFaultOf(declaration);

/**
 * A guardrail whose code runs in the sandbox: what it declares is read once, each run crosses over.
 * @throws GatewayError `invalid_config` naming the file and what is wrong with it; `not_ready` where that could not be found out
 */
export async function loadSandboxedGuardrail(
  { manifest, folder }: SandboxedUnit,
  sandbox: Sandbox,
  { timeoutMs = 500, remoteMs = 120_000 }: SandboxLimits = {},
): Promise<Guardrail> {
  const program: Program = {
    id: `${manifest.name}@${manifest.version}`,
    organisation: '',
    source: await bundleUnit(folder),
    ...standardLimits,
    ...manifest.limits,
    kind: 'guardrail',
    models: manifest.permissions?.models === true,
  };
  const file = join(folder, 'index.ts');
  const { credentials, checks } = declaredBy(await described(sandbox, program, file), file);
  const programFor = perOrganisation(program);

  const crossing = (name: string, declared: DeclaredCheck): AnyCheck => {
    const { functions, ...facts } = declared;
    const common = { check: name, timeoutMs: declared.remote === undefined ? timeoutMs : remoteMs };
    // Who calls nobody needs no secret, and a config can be looked at before there is one.
    const secrets = credentials === undefined || declared.remote === undefined ? {} : { credentials };
    const looks = functions.includes('accept') || functions.includes('prepare');
    return {
      ...facts,
      // What depends on a config is not asked for across the border: waiting is right in any case.
      ...(functions.includes('whole') ? { whole: true } : {}),
      ...(looks
        ? { accept: (config: Json, host: CheckHost) => sandbox.accept(program, { ...common, config, host }) }
        : {}),
      run: (input: CheckInput, config: Json, host: CheckHost) =>
        sandbox.run(programFor(input.organisationId ?? ''), { ...common, ...secrets, config, input, host }),
    };
  };
  const crossed = Object.entries(checks).map(([name, declared]) => [name, crossing(name, declared)] as const);
  return guardrail({
    checks: Object.fromEntries(crossed),
    // The schema says that it is one of an object.
    ...(credentials === undefined
      ? {}
      : { credentials: credentials as unknown as NonNullable<Guardrail['credentials']> }),
  });
}

async function described(sandbox: Sandbox, program: Program, file: string): Promise<Json> {
  return sandbox.describe(program).catch((cause: unknown) => {
    if (!GatewayError.is(cause)) throw cause;
    const code = cause.code === 'not_ready' ? 'not_ready' : 'invalid_config';
    throw new GatewayError(code, `${file}: ${cause.message}`, { headers: cause.headers, cause });
  });
}

interface Declared {
  readonly credentials?: JsonObject;
  readonly checks: Readonly<Record<string, DeclaredCheck>>;
}

function declaredBy(value: Json, file: string): Declared {
  const fault = faultOf(value);
  if (fault !== undefined)
    throw new GatewayError('invalid_config', `${file}: what the unit declares is not accepted: ${fault}`);
  const declared = value as unknown as Declared;
  const badName = Object.keys(declared.checks).find((name) => !/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name));
  if (badName !== undefined || Object.keys(declared.checks).length === 0) {
    const text = 'it must declare at least one check, by a name of letters, digits, dashes and underscores.';
    throw new GatewayError('invalid_config', `${file}: ${text}`);
  }
  for (const [name, { config }] of Object.entries(declared.checks)) refuseCostly(config, `${file}: ${name}.config`);
  refuseCostly(declared.credentials ?? {}, `${file}: credentials`);
  return declared;
}

/** One program object for each organisation: they share the text and nothing else. */
function perOrganisation(program: Program): (organisation: string) => Program {
  const programs = new LRUCache<string, Program>({ max: maxOrganisations });
  return (organisation) => {
    if (organisation === '') return program;
    const known = programs.get(organisation);
    if (known !== undefined) return known;
    const own = { ...program, organisation };
    programs.set(organisation, own);
    return own;
  };
}
