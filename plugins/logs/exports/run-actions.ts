import { type Action, type ControlHost, field, GatewayError, ownKeys, RawReply, schema } from 'portcullis/sdk';
import { valuesOf } from './read-body.ts';
import { signedOrganisation, signedUrl } from './signed-url.ts';
import { asExport, inWorkspaceOf, move, wrongState } from './state.ts';
import { type ExportRecord, table } from './table.ts';
import type { ExportFiles } from './writer.ts';

const needs = ['logs.export'];
const told = schema.Object({ message: field.text(), object: field.oneOf(['export']) });

/** @throws GatewayError `forbidden` when the file holds requests of other keys than those */
function refuseBeyond(own: readonly string[] | undefined, { key_ids: keyIds }: ExportRecord): void {
  if (own === undefined || keyIds?.every((id) => own.includes(id)) === true) return;
  throw new GatewayError('forbidden', 'This export holds requests of keys that are not yours. Make one of your own.');
}

/** What happens to an export after it has been drafted. */
export function runActions(host: ControlHost, files: ExportFiles): readonly Action[] {
  return [
    {
      method: 'post',
      path: '/logs/exports/:id/start',
      summary: 'Starts an export',
      needs,
      of: table,
      reply: told,
      async run(operation, record) {
        const before = asExport(record);
        const at = inWorkspaceOf(operation, before);
        // Whoever starts it may not get more than they may see.
        valuesOf(at, {}, before);
        const keyIds = (await ownKeys(at)) ?? null;
        await operation.records(table).update(operation.scope, before.id, { key_ids: keyIds });
        await move(operation, before, ['draft'], {
          status: 'in_progress',
          started_at: operation.now,
          lease_until: 0,
        });
        operation.afterCommit(() => files.run(before.organisation_id, before.id));
        return { message: 'The export has been started.', object: 'export' };
      },
    },
    {
      method: 'post',
      path: '/logs/exports/:id/cancel',
      summary: 'Cancels an export',
      needs,
      of: table,
      reply: told,
      async run(operation, record) {
        await move(operation, asExport(record), ['draft', 'in_progress'], { status: 'stopped', lease_until: null });
        return { message: 'The export has been cancelled.', object: 'export' };
      },
    },
    {
      method: 'get',
      path: '/logs/exports/:id/download',
      summary: 'An address that the file can be had at for 15 minutes',
      needs,
      of: table,
      reply: schema.Object({ signed_url: field.text({ max: 4096 }) }),
      async run(operation, record) {
        const done = asExport(record);
        if (done.status !== 'success') throw wrongState(done.status, 'Only an export that has succeeded has a file');
        // Neither may whoever fetches it, be it its maker: someone else may have started it, or settings have changed.
        const at = inWorkspaceOf(operation, done);
        valuesOf(at, {}, done);
        refuseBeyond(await ownKeys(at), done);
        return { signed_url: signedUrl(operation, host.publicUrl, done) };
      },
    },
    {
      method: 'get',
      path: '/logs/exports/:id/file',
      summary: 'The file of an export, at its signed address: lines of JSON',
      needs: 'public',
      // Its address is given out, not called by anyone who reads documents.
      hidden: true,
      async run(operation) {
        const organisationId = signedOrganisation(operation);
        const id = operation.params.id ?? '';
        const record = await operation.records<ExportRecord>(table).get({ organisationId }, id);
        const file = record.status === 'success' ? await files.read(record) : undefined;
        if (file === undefined)
          throw new GatewayError('not_found', 'The file is no longer there: files are kept for 7 days. Export again.');
        return new RawReply(
          200,
          {
            'content-type': 'application/x-ndjson; charset=utf-8',
            ...(file.size === undefined ? {} : { 'content-length': String(file.size) }),
            'content-disposition': `attachment; filename="logs-${record.id}.jsonl"`,
            'x-content-type-options': 'nosniff',
          },
          file.bytes,
        );
      },
    },
  ];
}
