import { GatewayError, type Host, type Principal } from 'portcullis/sdk';
import { acceptSaved, readSaved } from './saved.ts';

const operator: Principal = Object.freeze({ id: 'operator', kind: 'anonymous' });

/**
 * Looks at the guardrails and credentials of the operator's file, so that what cannot run is known at start.
 * @throws GatewayError `invalid_config`, `param` such as `guardrails.words.checks[0].parameters.words`
 */
export async function acceptFile(host: Pick<Host, 'file' | 'checks'>): Promise<void> {
  for (const [name, { checks, actions }] of Object.entries(host.file('guardrails'))) {
    const place = `guardrails.${name}`;
    try {
      await acceptSaved(readSaved({ checks: [...checks], actions }, host.checks), host.checks, { principal: operator });
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
      const param = error.param === undefined ? place : `${place}.${error.param}`;
      throw new GatewayError('invalid_config', `${place}: ${error.message}`, { param, cause: error });
    }
  }
  for (const [unit, credentials] of Object.entries(host.file('guardrailCredentials')))
    host.checks.checkCredentials(unit, credentials, `guardrail_credentials.${unit}`);
}
