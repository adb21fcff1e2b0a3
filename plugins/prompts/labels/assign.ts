import { type Db, GatewayError, type Operation, type Reaction } from 'portcullis/sdk';
import { labelInReach } from './read.ts';
import type { LabelledRow } from './table.ts';

/** The prompt whose versions are labelled, with the workspace that owns it. */
export interface LabelledPrompt {
  readonly organisationId: string;
  readonly promptId: string;
  readonly workspaceId: string;
}

export interface AssignedLabel {
  readonly labelId: string;
  readonly name: string;
  readonly versionNumber: number;
}

/**
 * Points the label at the version, and so away from any other of the prompt; null takes all labels off the version.
 * @throws GatewayError `bad_request`, param `label_id`, unless the prompt's workspace sees the label
 */
export async function assignLabel(
  operation: Operation,
  { organisationId, promptId, workspaceId }: LabelledPrompt,
  versionNumber: number,
  labelId: string | null,
): Promise<void> {
  const { db, now } = operation;
  await operation.changed(organisationId);
  if (labelId === null) {
    await assignedTo(db, organisationId, promptId).andWhere({ version_number: versionNumber }).delete();
    return;
  }
  const label = await labelInReach(operation.at({ organisationId }), workspaceId, labelId);
  // Whoever deletes it meanwhile waits for this transaction, and then drops what it points at.
  const held = label === undefined ? undefined : await db('labels').where({ id: label.id }).forShare().first('id');
  if (held === undefined) {
    throw new GatewayError(
      'bad_request',
      `label_id is "${labelId.slice(0, 100)}", which is no label here; the id of one of the prompt's workspace or of its organisation is accepted.`,
      { param: 'label_id' },
    );
  }
  const row: LabelledRow = {
    prompt_id: promptId,
    label_id: labelId,
    organisation_id: organisationId,
    version_number: versionNumber,
    assigned_at: now,
  };
  // One statement: there is no moment at which the label points at two versions, or at none.
  await db<LabelledRow>('prompt_labels')
    .insert(row)
    .onConflict(['prompt_id', 'label_id'])
    .merge(['version_number', 'assigned_at']);
}

/** The labels of a prompt's versions, the latest assigned first. */
export async function labelsOf(db: Db, organisationId: string, promptId: string): Promise<readonly AssignedLabel[]> {
  const rows: { label_id: string; name: string; version_number: number }[] = await db('prompt_labels')
    .join('labels', 'labels.id', 'prompt_labels.label_id')
    .where({ 'prompt_labels.organisation_id': organisationId, prompt_id: promptId })
    .orderBy([{ column: 'assigned_at', order: 'desc' }, { column: 'labels.name' }])
    .select('label_id', 'labels.name', 'version_number');
  return rows.map((row) => ({ labelId: row.label_id, name: row.name, versionNumber: Number(row.version_number) }));
}

/** The version that the label of this name points at; undefined: no such label, or it points at none. */
export async function versionOfLabel(
  db: Db,
  organisationId: string,
  promptId: string,
  name: string,
): Promise<number | undefined> {
  const found = (await labelsOf(db, organisationId, promptId)).find((label) => label.name === name);
  return found?.versionNumber;
}

/** For a prompt that is there no more. */
export async function dropLabelsOf(db: Db, organisationId: string, promptId: string): Promise<void> {
  await assignedTo(db, organisationId, promptId).delete();
}

/** What a label that is gone pointed at. */
export const labelReactions: Readonly<Record<string, Reaction>> = {
  'labels.removed': async ({ db }, { id, organisation_id }) => {
    await db<LabelledRow>('prompt_labels').where({ label_id: id, organisation_id }).delete();
  },
};

function assignedTo(db: Db, organisationId: string, promptId: string) {
  return db<LabelledRow>('prompt_labels').where({ organisation_id: organisationId, prompt_id: promptId });
}
