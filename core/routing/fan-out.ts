import { asArray, asObject, type Json, type JsonObject } from 'portcullis/sdk';
import { configFault } from './fault.ts';

/** How many targets one config may hold. */
export interface TargetCaps {
  readonly root: number;
  /** Of the root, when its strategy is conditional. */
  readonly conditionalRoot: number;
  /** Below one root target, on all levels together. */
  readonly nested: number;
}

export const defaultCaps: TargetCaps = { root: 100, conditionalRoot: 1000, nested: 50 };

/** Levels of targets below the root. */
export const maxTargetDepth = 10;

/** Counts targets before anything else is looked at. @throws GatewayError when there are too many, or they nest too deep */
export function checkFanOut(config: JsonObject, caps: TargetCaps): void {
  const targets = asArray(config.targets);
  const conditional = asObject(config.strategy)?.mode === 'conditional';
  const cap = conditional ? caps.conditionalRoot : caps.root;
  if (targets.length > cap) {
    const which = conditional ? 'A config with the conditional strategy' : 'A config';
    throw configFault('targets', `${which} may have ${cap} targets; this one has ${targets.length}.`);
  }
  for (const [index, target] of targets.entries()) checkNested(target, `targets[${index}]`, caps.nested);
}

function checkNested(root: Json, param: string, cap: number): void {
  let count = 0;
  let level: readonly Json[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxTargetDepth) throw configFault(param, `Targets may nest ${maxTargetDepth} levels deep.`);
    level = level.flatMap((node) => asArray(asObject(node)?.targets));
    count += level.length;
    if (count > cap) throw configFault(param, `A target may have ${cap} nested targets; config.${param} has more.`);
  }
}
