import { type Action, asObject, type ControlHost, field, type StoredRecord, schema } from 'portcullis/sdk';
import { secretReader } from './backends/index.ts';
import { faultOf, faultSentences } from './fault.ts';
import { demandLent } from './own-identity.ts';
import { pick } from './pick.ts';
import type { ReferenceRecord } from './table.ts';

/** However many calls it takes, somebody waits for the answer. */
const longestMs = 5000;

/** `POST /secret-references/:id/test`: whether the secret can be had, never what it is. Nothing is kept of it. */
export function probe(host: ControlHost): Action {
  return {
    method: 'post',
    path: '/secret-references/:id/test',
    summary: 'Tries to read the secret and says whether that works, without the value',
    needs: ['secret_references.read'],
    in: 'organisation',
    of: 'secret_references',
    transaction: false,
    body: schema.Object({ secret_key: schema.Optional(field.text({ min: 1 })) }),
    reply: schema.Object({
      success: schema.Boolean(),
      status: field.oneOf(['ok', ...Object.keys(faultSentences)]),
      message: field.text(),
      object: field.oneOf(['secret-reference-test']),
    }),
    async run(operation, record) {
      const reference = record as StoredRecord as ReferenceRecord;
      const { secret_auth: secret } = await operation.records<ReferenceRecord>('secret_references').secrets(reference);
      const auth = { ...reference.public_auth, ...asObject(secret) };
      const key = operation.body.secret_key ?? reference.secret_key ?? undefined;
      try {
        // A reader of its own: tokens and credentials of a trial are not kept.
        const signal = AbortSignal.timeout(longestMs);
        const fetch: ControlHost['fetch'] = (url, request) => host.fetch(url, { ...request, signal });
        const reader = secretReader({ now: () => host.now(), env: (name) => host.env(name), fetch });
        demandLent({ env: (name) => host.env(name) }, reference.organisation_id, auth);
        const text = await reader(reference.manager_type, { auth, path: reference.secret_path });
        pick(text, key === undefined ? undefined : String(key), 'string');
        return result('ok', 'The secret can be read.');
      } catch (thrown) {
        const { kind, message } = faultOf(thrown);
        return result(kind, message);
      }
    },
  };
}

function result(status: string, message: string) {
  return { success: status === 'ok', status, message, object: 'secret-reference-test' };
}
