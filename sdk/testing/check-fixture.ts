import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Verdict } from '../contracts/guardrail.ts';
import type { Json, JsonObject } from '../json.ts';
import Type from '../type-builders.ts';
import type { GivenInput } from './check-input.ts';
import { type ModelFault, modelFaults } from './model-faults.ts';
import { type VendorFault, vendorFaults } from './vendor-faults.ts';

/** One call to a vendor, and what came back. */
export interface VendorExchange {
  readonly request: {
    readonly method: string;
    /** The vendor's real URL with query. */
    readonly url: string;
    /** Headers that must be there, whatever the case of their names; others may be there too. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Absent: the call has no body. A string: a body that is no JSON. */
    readonly body?: Json;
  };
  readonly reply: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    /** A string is sent as it is. */
    readonly body?: Json;
  };
}

/** One run of a check, recorded: `fixtures/CHECK.CASE.json`. */
export interface CheckFixture {
  /** Where shape and values come from. */
  readonly source?: string;
  readonly check: string;
  readonly parameters?: JsonObject;
  readonly credentials?: JsonObject;
  /** Epoch milliseconds; default 2026-01-01T00:00:00Z. */
  readonly now?: number;
  readonly input?: GivenInput;
  /** In any order, each once. Absent: the check calls nobody. */
  readonly exchanges?: readonly VendorExchange[];
  /** What the models say, in turn. */
  readonly answers?: readonly string[];
  /** What code of others says. */
  readonly sandbox?: Verdict;
  /** `any`: an object of another shape means that nothing was found. */
  readonly shape?: 'any';
  /** Faults that the check reads as an answer, such as a reset by a check whether a page is there. */
  readonly answered?: readonly (VendorFault | ModelFault)[];
  readonly verdict: {
    readonly pass: boolean;
    readonly why?: string;
    readonly data?: Json;
    /** All texts after the edits. */
    readonly edited?: readonly string[];
  };
}

const strings = Type.Record(Type.String(), Type.String());
const anyObject = Type.Record(Type.String(), Type.Unknown());
const closed = { additionalProperties: false };

const exchangeSchema = Type.Object(
  {
    request: Type.Object(
      {
        method: Type.String({ pattern: '^[A-Z]+$' }),
        url: Type.String({ pattern: '^https?://' }),
        headers: Type.Optional(strings),
        body: Type.Optional(Type.Unknown()),
      },
      closed,
    ),
    reply: Type.Object(
      {
        status: Type.Integer({ minimum: 200, maximum: 599 }),
        headers: Type.Optional(strings),
        body: Type.Optional(Type.Unknown()),
      },
      closed,
    ),
  },
  closed,
);

const fixtureSchema = Type.Object(
  {
    source: Type.Optional(Type.String()),
    check: Type.String({ minLength: 1 }),
    parameters: Type.Optional(anyObject),
    credentials: Type.Optional(anyObject),
    now: Type.Optional(Type.Integer({ minimum: 0 })),
    input: Type.Optional(anyObject),
    exchanges: Type.Optional(Type.Array(exchangeSchema)),
    answers: Type.Optional(Type.Array(Type.String())),
    sandbox: Type.Optional(anyObject),
    shape: Type.Optional(Type.Literal('any')),
    answered: Type.Optional(Type.Array(Type.Enum([...vendorFaults, ...modelFaults]))),
    verdict: Type.Object(
      {
        pass: Type.Boolean(),
        why: Type.Optional(Type.String()),
        data: Type.Optional(Type.Unknown()),
        edited: Type.Optional(Type.Array(Type.String())),
      },
      closed,
    ),
  },
  closed,
);

const isFixture = new Ajv2020({ strict: false }).compile(fixtureSchema);

/** The names of the fixture files of a guardrail, `CHECK.CASE.json`, sorted; empty when there is no folder. */
export function checkFixtureNames(folder: string): readonly string[] {
  const fixtures = join(folder, 'fixtures');
  if (!existsSync(fixtures)) return [];
  return readdirSync(fixtures)
    .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
    .toSorted();
}

/**
 * Reads one fixture of a guardrail.
 * @throws Error naming the file, and the field that does not fit
 */
export function readCheckFixture(folder: string, name: string): CheckFixture {
  const file = join(folder, 'fixtures', name);
  const json = jsonIn(file);
  if (isFixture(json)) {
    const fixture = json as unknown as CheckFixture;
    if (name.split('.')[0] === fixture.check) return fixture;
    throw new Error(`${file}: is of the check ${fixture.check}; its name must begin with ${fixture.check}.`);
  }
  const [fault] = isFixture.errors ?? [];
  const key = fault?.params.additionalProperty;
  const where = `${fault?.instancePath || 'it'}${typeof key === 'string' ? ` (${key})` : ''}`;
  throw new Error(`${file}: ${where} ${fault?.message ?? 'is no fixture'}.`);
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new Error(`${file}: ${cause instanceof Error ? cause.message : 'cannot be read'}`, { cause });
  }
}
