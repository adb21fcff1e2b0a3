import {
  type CheckCall,
  type CheckPhase,
  type Checks,
  checkPhases,
  GatewayError,
  type Json,
  type JsonObject,
  type Principal,
} from 'portcullis/sdk';
import { readActions, shownActions } from './actions.ts';
import { readCheck } from './check.ts';
import { guardrailPlaces, readChecks } from './form.ts';
import type { CheckForm } from './hook.ts';
import { fault } from './values.ts';

export interface SavedGuardrail {
  readonly checks: readonly JsonObject[];
  readonly actions: JsonObject;
}

/**
 * Checks a guardrail as the API takes it and gives the form in which it is stored: actions with their defaults, checks as
 * they came. A guardrail must be able to run on requests or on replies, with all of its checks.
 * @throws GatewayError `invalid_config`, `param` such as `checks[0].parameters.words`
 */
export function readSaved(
  given: { readonly checks: Json | undefined; readonly actions: JsonObject },
  checks: Checks,
): SavedGuardrail {
  const actions = readActions(given.actions, 'actions');
  const forms = readChecks(given.checks, 'checks');
  phasesOf(forms, actions.deny, checks);
  return { checks: given.checks as readonly JsonObject[], actions: shownActions(actions) };
}

/** Where all of its checks can run. @throws GatewayError where there is no such place */
export function phasesOf(forms: readonly CheckForm[], denies: boolean, checks: Checks): readonly CheckPhase[] {
  const offered = (form: CheckForm): readonly CheckPhase[] => checks.find(form.id)?.phases ?? checkPhases;
  for (const form of forms) {
    const [phase = 'beforeRequest'] = offered(form);
    readCheck(form, guardrailPlaces[phase], denies, checks);
  }
  const common = checkPhases.filter((phase) => forms.every((form) => offered(form).includes(phase)));
  if (forms.length > 0 && common.length === 0)
    throw fault('checks', 'mix checks for requests alone with checks for replies alone: make two guardrails of them');
  return common;
}

/**
 * The deeper look that takes time: code is compiled.
 * @throws GatewayError `invalid_config`
 */
export async function acceptSaved(
  saved: SavedGuardrail,
  checks: Checks,
  { principal }: { readonly principal: Principal },
): Promise<void> {
  const { deny } = readActions(saved.actions, 'actions');
  for (const form of readChecks(saved.checks, 'checks')) {
    const [phase = 'beforeRequest'] = checks.find(form.id)?.phases ?? [];
    const { ready, timeoutMs, credentials } = readCheck(form, guardrailPlaces[phase], deny, checks);
    const call: CheckCall = {
      principal,
      traceId: 'guardrail',
      credentials,
      timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
      forward: {},
      headers: {},
    };
    await ready.accept(call).catch((error: unknown) => {
      if (GatewayError.is(error)) throw error;
      throw new GatewayError('invalid_config', `${form.param} cannot be used.`, { param: form.param, cause: error });
    });
  }
}
