import { type Action, type ControlHost, field, type Operation, schema } from 'portcullis/sdk';
import { workspaceOf } from '../own-workspace.ts';
import { keepsBodies } from '../record/log-phase.ts';
import { entryOf } from './entry.ts';
import { pacedWrites } from './paced.ts';
import { readLogs } from './read-body.ts';

const part = (description: string) => schema.Optional(field.object({ description }));

/** `POST /logs`: one log or a list of them, of requests that did not come through the gateway. */
export function insertAction(host: ControlHost): Action {
  const write = pacedWrites(host.logs);
  return {
    method: 'post',
    path: '/logs',
    summary: 'Adds logs of requests that the gateway has not seen',
    needs: ['logs.write'],
    in: 'workspace',
    list: 'logs',
    body: schema.Object({
      request: part('`{ url, method, headers, body, provider }`; url and body are required.'),
      response: part('`{ status, headers, body, response_time, streamingMode }`; body is required.'),
      metadata: part('Texts; `trace_id`, `span_id`, `span_name` and `parent_span_id` say where it belongs.'),
      logs: schema.Optional(field.list(field.object(), { maxItems: 1000 })),
    }),
    reply: schema.Object({
      status: field.oneOf(['success']),
      message: field.text(),
      ids: schema.Array(field.id()),
    }),
    // What was said is nobody's to read in the audit log, and nothing is written but logs.
    audited: false,
    transaction: false,
    async run(operation) {
      const workspaceId = workspaceOf(operation, 'completions.write');
      const sent = readLogs(operation.body);
      const full = await isKept(operation, host, workspaceId);
      const ids: string[] = [];
      for (const log of sent) {
        const entry = await entryOf(operation, host, workspaceId, log, full);
        await write(entry);
        ids.push(entry.row.id);
      }
      return { status: 'success', message: `${ids.length} ${ids.length === 1 ? 'log' : 'logs'} added.`, ids };
    },
  };
}

async function isKept(
  { scope, control }: Operation,
  { directory }: ControlHost,
  workspaceId: string,
): Promise<boolean> {
  if (control('debug')?.trim().toLowerCase() === 'false') return false;
  const organisation = await directory.get('organisation', scope.organisationId);
  return keepsBodies(organisation, await directory.get('workspace', scope.organisationId, workspaceId));
}
