import {
  type CheckHost,
  type CheckPhase,
  callJson,
  check,
  field,
  GatewayError,
  type Json,
  schema,
} from 'portcullis/sdk';
import type { Credentials } from './credentials.ts';

/** What sets the scan of a prompt apart from that of an answer. */
export interface Scan {
  readonly title: string;
  readonly phase: CheckPhase;
  readonly path: string;
  readonly scanners: readonly string[];
}

/** A scan fails when one of the chosen scanners has found something. */
export function scan({ title, phase, path, scanners: known }: Scan) {
  return check({
    title,
    config: schema.Object(
      { scanners: field.list(field.oneOf(known), { minItems: 1, maxItems: known.length }) },
      { additionalProperties: false },
    ),
    phases: [phase],
    remote: { timeoutMs: 5000 },
    async run({ text }, { scanners }, host: CheckHost<Credentials>) {
      if (text.trim() === '') return { pass: true };
      const reply = await callJson(host, {
        vendor: 'Pillar',
        url: `https://api.pillarseclabs.com/api/v1/scan/${path}`,
        headers: { authorization: `Bearer ${host.credentials.apiKey}` },
        body: { message: text, scanners: Object.fromEntries(scanners.map((name) => [name, true])) },
      });
      const found = scanners.filter((name) => hasFound(name, reply[name]));
      if (found.length === 0) return { pass: true, data: { found } };
      return { pass: false, why: `Pillar has found: ${found.join(', ')}.`, data: { found } };
    },
  });
}

/** A scanner without findings says false or null, one with findings true or what it has found. */
function hasFound(scanner: string, value: Json | undefined): boolean {
  if (value === undefined)
    throw new GatewayError('check_failed', `Pillar answered without the result of the scanner ${scanner}.`);
  return value !== null && value !== false;
}
