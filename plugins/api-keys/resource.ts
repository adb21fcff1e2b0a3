import {
  type ControlHost,
  type JsonObject,
  keyFamilies,
  keyTypes,
  type Operation,
  type Resource,
  type StoredRecord,
} from 'portcullis/sdk';
import { keyActions } from './actions.ts';
import { columns, fields } from './fields.ts';
import { placeOf } from './place.ts';
import type { KeyRecord } from './record.ts';
import { shownKey } from './reply-schemas.ts';
import type { SecretMaker } from './secrets.ts';
import { wireForms } from './show.ts';
import { valuesOfChange } from './values.ts';
import { isVisible } from './visibility.ts';

/** Creation and listing are actions: which permission they need depends on the type of key that is asked for. */
export function keyResource(maker: SecretMaker, host: Pick<ControlHost, 'counters' | 'log'>): Resource {
  return {
    name: 'api_keys',
    object: 'api-key',
    noun: 'API key',
    title: 'API keys',
    path: '/api-keys',
    admin: true,
    owner: 'either',
    permission: {
      families: keyTypes.map((type) => keyFamilies[type]),
      of: ({ record }) => keyFamilies[asKey(record).type],
    },
    fields,
    columns,
    operations: ['get', 'update', 'remove'],
    hooks: {
      visible: (operation, record) => isVisible(operation.access, asKey(record)),
      update: (operation, record, body) => change(operation, asKey(record), body),
    },
    replies: {
      get: {
        schema: shownKey,
        of: async ({ record }, operation) => (await wireForms(operation, host, [asKey(record)]))[0] ?? {},
      },
    },
    actions: keyActions(maker, host),
  };
}

async function change(operation: Operation, key: KeyRecord, body: JsonObject) {
  const place = await placeOf(operation, key.type, key.workspace_id ?? undefined);
  return valuesOfChange(operation, key, body, place);
}

function asKey(record: StoredRecord | undefined): KeyRecord {
  if (record === undefined) throw new TypeError('the route names a key');
  return record as KeyRecord;
}
