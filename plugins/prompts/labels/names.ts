import { GatewayError, type Operation, schema } from 'portcullis/sdk';
import { universalNames } from './universal.ts';

/** A name stands behind the @ of a prompt's id, where `latest`, `default` and numbers mean something else. */
export const labelName = () =>
  schema.String({
    minLength: 1,
    maxLength: 255,
    // The documented pattern, told in a form that reads each character once: a body may hold millions of them.
    pattern: '^(?!latest$)(?!default$)(?!\\d+$)[a-zA-Z0-9_-]*([^@\\sa-zA-Z0-9_-][a-zA-Z0-9_-]*)?$',
    accepts: 'letters, digits, _ and - with at most one other character, and neither latest, default nor a number',
  });

/**
 * A name means one label in every workspace: one of the organisation's is seen in all of them.
 * @param place the workspace's id, '' for the organisation
 * @throws GatewayError `conflict`
 */
export async function demandFreeName(
  { db, scope }: Operation,
  name: string,
  place: string,
  own?: string,
): Promise<void> {
  // Locked, for a name that nobody has yet may be taken by two at once, in two places.
  const same: readonly { id: string; place: string }[] = await db('labels')
    .where({ organisation_id: scope.organisationId, name })
    .forUpdate()
    .select('id', 'place');
  const taken = same.find((other) => other.id !== own && (place === '' || other.place === '' || other.place === place));
  if (taken === undefined && !universalNames.includes(name)) return;
  const where =
    taken === undefined || taken.place === ''
      ? 'the organisation'
      : place === ''
        ? 'one of its workspaces'
        : 'this workspace';
  throw new GatewayError('conflict', `There is a label with the name "${name}" in ${where} already.`, {
    param: 'name',
  });
}
