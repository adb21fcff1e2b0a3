import { asObject, asString, GatewayError, type Json } from 'portcullis/sdk';
import { EndedByForce } from './ended-by-force.ts';
import { passingFault } from './passing-fault.ts';
import type { Ended } from './process.ts';
import type { Program } from './program.ts';

/** What came of a run, in the words of the harness. */
export interface Said {
  /** Lines of the log that were too many. */
  readonly dropped: number;
  readonly value?: Json;
  /** It gave undefined, a function, or something else that is no JSON. */
  readonly nothing?: true;
  /** It gave more than is taken: so many characters. */
  readonly large?: number;
  /** What it threw: `name`, `message`, and of errors of the sdk `code` and `param`. The guest can give it any shape. */
  readonly error?: Json;
}

type Faulty = Exclude<Ended, { readonly result: string }>;

const faultTexts: Readonly<Record<Faulty['fault'], string>> = {
  timeout: 'did not end in its time',
  killed: 'did not end in its time, and its process had to be killed',
  memory: 'took more memory than it may',
  broken: 'broke off',
  stopped: 'was stopped: nobody waits for it any more',
  disturbed: 'was interrupted twice by other runs',
  lost: 'was interrupted twice by the end of its process',
};

/** Others were to blame for them. */
const passing: ReadonlySet<Faulty['fault']> = new Set(['stopped', 'disturbed', 'lost']);

export function faultError({ id, memoryMb }: Program, { fault, message }: Faulty, timeoutMs: number): GatewayError {
  const details: Partial<Record<Faulty['fault'], string | undefined>> = {
    memory: `${memoryMb} MB`,
    timeout: `${timeoutMs} ms`,
    killed: `${timeoutMs} ms`,
    broken: message?.replace(/\.$/, ''),
  };
  const detail = details[fault];
  const text = `${id} ${faultTexts[fault]}${detail === undefined ? '' : `: ${detail}`}.`;
  return passing.has(fault) ? passingFault(text) : new EndedByForce('check_failed', text);
}

/**
 * The value that a program gave.
 * @param accepting whether it may refuse a config: then its own `invalid_config` stays one
 * @throws GatewayError when it threw, or gave no JSON
 */
export function givenBy(said: Said, { id }: Program, accepting = false): Json {
  if (said.error !== undefined) throw thrownError(said.error, id, accepting);
  if (said.large !== undefined) throw new GatewayError('check_failed', `${id} gave more than 256 KiB of JSON.`);
  if (said.value === undefined)
    throw new GatewayError('check_failed', `${id} gave nothing that can be written as JSON.`);
  return said.value;
}

function thrownError(error: Json, id: string, accepting: boolean): GatewayError {
  const textAt = (member: string, most: number) => asString(asObject(error)?.[member])?.slice(0, most);
  const [name, message] = [textAt('name', 100) ?? 'Error', textAt('message', 2000) ?? 'something that cannot be read'];
  const [code, param] = [textAt('code', 100), textAt('param', 500)];
  const details = param === undefined ? {} : { param };
  if (code === undefined) return new GatewayError('check_failed', `${id} threw ${name}: ${message}`, details);
  if (accepting && code === 'invalid_config') return new GatewayError('invalid_config', message, details);
  return new GatewayError('check_failed', `${id}: ${message}`, details);
}
