import { type Checks, GatewayError, type GuardrailEntry, type HookEntry, type JsonObject } from 'portcullis/sdk';
import { readActions } from './actions.ts';
import { readCheck } from './check.ts';
import { places, readChecks, readForm } from './form.ts';
import type { Hook, HookForm, Place } from './hook.ts';
import { fault } from './values.ts';

/** The hook of an entry that stands in the config itself. @throws GatewayError `invalid_config` */
export function inlineHook(entry: HookEntry, value: JsonObject, checks: Checks): Hook {
  const param = entry.path.replace(/^config\./, '');
  const place = places[entry.source];
  const { form, type } = readForm(value, param);
  const number = /\[(\d+)\]$/.exec(entry.path)?.[1] ?? '0';
  const standing = { ...place, type: type ?? place.type };
  if (standing.type === 'mutator' && form.actions.deny)
    throw fault(`${param}.deny`, 'cannot be true for a mutator: it changes, and gates nothing');
  return hookOf({ id: `${entry.source}_${number}`, ...form }, standing, checks, param);
}

/**
 * The hook of a saved guardrail.
 * @param where begins the messages, and what they call `param`
 * @throws GatewayError `invalid_config` when it does not fit the place any more
 */
export function savedHook(
  saved: Pick<GuardrailEntry, 'slug' | 'checks' | 'actions'> & { readonly versionId?: string },
  place: Place,
  checks: Checks,
  where = `guardrail ${saved.slug}: `,
): Hook {
  const actions = readActions(saved.actions, `${where}actions`);
  const form = { id: saved.slug, checks: readChecks(saved.checks, `${where}checks`), actions };
  return hookOf({ ...form, actions: { ...actions, versionId: saved.versionId } }, place, checks, `${where}actions`);
}

function hookOf(form: HookForm & { readonly id: string }, place: Place, checks: Checks, param: string): Hook {
  const { id, actions } = form;
  const denies = actions.deny && place.type === 'guardrail';
  if (place.type === 'mutator' && actions.async)
    throw fault(`${param}.async`, 'must be false for a mutator: what runs after the reply changes nothing');
  return {
    id,
    type: place.type,
    ...actions,
    deny: denies,
    checks: form.checks.map((check) => readCheck(check, place, denies, checks)),
  };
}

/** Code of others runs only where somebody has saved it. */
export function refuseCode(hook: Hook, param: string): void {
  const code = hook.checks.find(({ ready }) => ready.summary.runsCode);
  if (code === undefined) return;
  throw new GatewayError(
    'invalid_config',
    `${param}: ${code.ready.summary.id} runs code, which only saved guardrails and saved configs may bring.`,
    { param },
  );
}
