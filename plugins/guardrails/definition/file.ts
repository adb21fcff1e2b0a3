import { GatewayError, type Host, type Principal } from 'portcullis/sdk';
import { guardrailPlaces } from './form.ts';
import type { Place } from './hook.ts';
import { savedHook } from './hooks.ts';
import { acceptSaved, readSaved } from './saved.ts';
import { fault } from './values.ts';

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
  for (const [place, { input, output }] of Object.entries(host.file('defaultGuardrails'))) {
    acceptDefaults(host, input, guardrailPlaces.beforeRequest, `${place}.input`);
    acceptDefaults(host, output, guardrailPlaces.afterRequest, `${place}.output`);
  }
}

function acceptDefaults(
  host: Pick<Host, 'file' | 'checks'>,
  names: readonly string[] | undefined,
  place: Place,
  list: string,
): void {
  const guardrails = host.file('guardrails');
  for (const [index, name] of (names ?? []).entries()) {
    const param = `${list}[${index}]`;
    const saved = Object.hasOwn(guardrails, name) ? guardrails[name] : undefined;
    if (saved === undefined)
      throw fault(param, `names the guardrail "${name.slice(0, 100)}", which does not stand under guardrails`);
    try {
      savedHook({ slug: name, ...saved }, place, host.checks);
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
      throw new GatewayError('invalid_config', `${param}: ${error.message}`, { param, cause: error });
    }
  }
}
