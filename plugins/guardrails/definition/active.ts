import {
  asObject,
  type CheckPhase,
  type FileGuardrail,
  GatewayError,
  type GuardrailEntry,
  type HookEntry,
  type Host,
  type MaybePromise,
  type RequestContext,
  type TargetContext,
} from 'portcullis/sdk';
import { forgo, settled } from '../run/settled.ts';
import { type Hook, type HookList, noHooks, type Place } from './hook.ts';
import { inlineHook, savedHook } from './hooks.ts';
import { type NamedHook, Namings, noLevels } from './namings.ts';

type Saved = GuardrailEntry | FileGuardrail;

/** Which hooks run on a target. Definitions are made ready once, and again when a saved one has changed. */
export class ActiveHooks {
  readonly #host: Host;
  readonly #inline = new WeakMap<HookEntry, Hook>();
  readonly #saved = new WeakMap<Saved, Map<Place['key'], Hook>>();
  readonly #namings = new Namings((entry) => this.inline(entry));

  constructor(host: Host) {
    this.#host = host;
  }

  /** The hook of an entry that stands in the config itself; undefined: it names a saved one. @throws GatewayError */
  inline(entry: HookEntry): Hook | undefined {
    const known = this.#inline.get(entry);
    if (known !== undefined) return known;
    const value = asObject(entry.value);
    if (value === undefined) return undefined;
    const hook = inlineHook(entry, value, this.#host.checks);
    this.#inline.set(entry, hook);
    return hook;
  }

  /**
   * Those of the config, then the defaults of file, organisation, workspace and key: each saved one runs once, and is
   * imposed when one of the defaults names it.
   * @throws GatewayError when one of them is not there: what cannot run must not be missing in silence
   */
  of({ hooks, request }: TargetContext, phase: CheckPhase): MaybePromise<HookList> {
    const entries = phase === 'beforeRequest' ? hooks.before : hooks.after;
    const levels = request.defaultGuardrails ?? noLevels;
    const naming = this.#namings.of(entries, levels, phase);
    const { named } = naming;
    if (named.length === 0) return noHooks;
    const found: MaybePromise<Hook>[] = [];
    try {
      for (const one of named) found.push('hook' in one ? one.hook : this.#savedHook(request, one));
    } catch (error) {
      forgo(found);
      throw error;
    }
    return settled(found, (all) => naming.listOf(all));
  }

  /**
   * Without a control plane every name must stand in the operator's file, and be able to run in its place; with one, who
   * may use a name is known once there is a caller.
   * @throws GatewayError `invalid_config`
   */
  acceptName(name: string, place: Place, param: string): void {
    if (this.#host.controlled) return;
    const saved = this.#inFile(name) ? this.#host.file('guardrails')[name] : undefined;
    if (saved !== undefined) return void this.#ready(saved, name, place, param);
    const text = `${param} names the guardrail "${name.slice(0, 100)}", which does not stand under guardrails of the operator's file.`;
    throw new GatewayError('invalid_config', text, { param });
  }

  #inFile(name: string): boolean {
    return Object.hasOwn(this.#host.file('guardrails'), name);
  }

  #savedHook(request: RequestContext, one: NamedHook): MaybePromise<Hook> {
    const { name, place, param } = one;
    const found = this.#find(request, name);
    return found instanceof Promise
      ? found.then((saved) => this.#ready(saved, name, place, param))
      : this.#ready(found, name, place, param);
  }

  #find({ principal: { access } }: RequestContext, name: string): MaybePromise<Saved | undefined> {
    if (access !== undefined)
      return this.#host.directory('guardrail', access.organisationId, access.workspaceId ?? '', name);
    return this.#inFile(name) ? this.#host.file('guardrails')[name] : undefined;
  }

  #ready(saved: Saved | undefined, name: string, place: Place, param: string): Hook {
    if (saved === undefined) {
      const text = `${param} names the guardrail "${name.slice(0, 100)}", which is not there: nothing is sent without it.`;
      throw new GatewayError('invalid_config', text, { param });
    }
    const byPlace = this.#saved.get(saved) ?? new Map<Place['key'], Hook>();
    this.#saved.set(saved, byPlace);
    const known = byPlace.get(place.key);
    if (known !== undefined) return known;
    const hook = savedHook({ slug: name, ...saved }, place, this.#host.checks);
    byPlace.set(place.key, hook);
    return hook;
  }
}
