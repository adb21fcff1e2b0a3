import type { CallFacts } from 'portcullis/sdk';
import { bareName } from './names.ts';
import { ofPublisher, parentOf, segment } from './places.ts';

/** A model of Google's, or by its whole name a tuned one: `endpoints/123`, `projects/p/locations/r/endpoints/123`. */
export function method(name: string) {
  return ({ settings, model }: CallFacts) => {
    const bare = bareOf(model);
    const [, whole] =
      /^(projects\/[^/]+\/locations\/[^/]+\/(?:endpoints|publishers\/[^/]+\/models)\/[^/]+)$/.exec(bare) ?? [];
    if (whole !== undefined) return `/v1/${whole.split('/').map(segment).join('/')}:${name}`;
    const [, endpoint] = /^endpoints\/([^/]+)$/.exec(bare) ?? [];
    if (endpoint !== undefined) return `/v1/${parentOf(settings)}/endpoints/${segment(endpoint)}:${name}`;
    return ofPublisher(settings, 'google', bare, name);
  };
}

/** The prefix `endpoints/` is part of the name here. */
export const bareOf = (model: string) =>
  model.startsWith('endpoints/') ? model : bareName(model).replace(/^(publishers\/google\/)?models\//, '');
