import type {
  Host,
  MaybePromise,
  OrganisationEntry,
  RecordBodies,
  RequestRecord,
  WorkspaceEntry,
} from 'portcullis/sdk';
import { asksForSilence, bodiesOf } from './bodies.ts';
import { rowOf } from './row.ts';

/** Writes each request of an organisation to the log, and what guardrails thought of it. */
export function logPhase(host: Host) {
  return (record: RequestRecord, bodies: RecordBodies | undefined): MaybePromise<void> => {
    const { organisationId, workspaceId, feedback } = record;
    if (organisationId === undefined || workspaceId === undefined) return undefined;
    const place = { organisationId, workspaceId };
    if (feedback !== undefined && feedback.length > 0) giveFeedback(host, feedback, place);
    const row = rowOf(record, place);
    if (bodies === undefined || asksForSilence(bodies)) return host.logs.write({ row, bodies: undefined });
    const organisation = host.directory('organisation', organisationId);
    const workspace = host.directory('workspace', organisationId, workspaceId);
    const write = (entries: Entries): void =>
      host.logs.write({ row, bodies: keepsBodies(...entries) ? bodiesOf(bodies) : undefined });
    if (!(organisation instanceof Promise) && !(workspace instanceof Promise)) return write([organisation, workspace]);
    // What the workspace wants is not known: then nothing of what was said may be kept.
    return Promise.all([organisation, workspace]).then(write, () => host.logs.write({ row, bodies: undefined }));
  };
}

type Entries = readonly [OrganisationEntry | undefined, WorkspaceEntry | undefined];

/** `debug_log` of the workspace, where it has one of its own, else of the organisation. */
export function keepsBodies(organisation: Entries[0], workspace: Entries[1]): boolean {
  if (organisation === undefined || workspace === undefined) return false;
  return (workspace.requestLogging ?? organisation.requestLogging ?? 'full') === 'full';
}

function giveFeedback(
  host: Host,
  feedback: NonNullable<RequestRecord['feedback']>,
  place: { readonly organisationId: string; readonly workspaceId: string },
): void {
  const createdAt = host.now();
  host.logs.feedback(feedback.map((given) => ({ id: host.newId(), ...place, ...given, createdAt, givenBy: null })));
}
