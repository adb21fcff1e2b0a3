import type { Reaction } from 'portcullis/sdk';
import { dropLabelsOf } from '../labels/assign.ts';

/** An archived prompt serves nobody, so no label points at a version of it. */
export const promptReactions: Readonly<Record<string, Reaction>> = {
  'prompts.removed': ({ db }, { organisation_id, id }) => dropLabelsOf(db, organisation_id, id),
};
