import { asArray, asObject, asString, type Json, type JsonObject } from './json.ts';

/** One node of a routing config: the root, or a target at any depth. */
export interface ConfigNode {
  /** `config`, `config.targets[0].targets[1]`. */
  readonly path: string;
  readonly node: JsonObject;
}

/** All nodes of a routing config, each before its targets. */
export function configNodes(node: JsonObject, path = 'config'): readonly ConfigNode[] {
  const below = asArray(node.targets).flatMap((target, index) =>
    configNodes(asObject(target) ?? {}, `${path}.targets[${index}]`),
  );
  return [{ path, node }, ...below];
}

/** `@slug` of a model that is written as `@slug/model`. */
export function providerNamedIn(given: Json | undefined): string | undefined {
  const model = asString(given);
  const slash = model?.startsWith('@') === true ? model.indexOf('/') : -1;
  return model === undefined || slash === -1 ? undefined : model.slice(0, slash);
}
