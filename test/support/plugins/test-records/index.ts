import {
  baseColumns,
  detail,
  field,
  fixed,
  GatewayError,
  input,
  nullable,
  plugin,
  type Resource,
  readOnly,
  required,
  schema,
} from 'portcullis/sdk';

const gadgets: Resource = {
  name: 'gadgets',
  object: 'gadget',
  title: 'Gadgets',
  path: '/gadgets',
  aliases: ['/gizmos'],
  admin: true,
  owner: 'workspace',
  permission: 'configs',
  slug: { prefix: 'gd', given: true },
  fields: {
    name: required(field.name()),
    colour: field.oneOf(['red', 'green']),
    size: nullable(field.integer(1, 10)),
    kind: fixed(field.text({ max: 20 })),
    serial: readOnly(field.text()),
    is_big: field.flag(),
    due_at: nullable(field.time()),
    checked_at: field.time('iso'),
    notes: detail(field.strings()),
    echo: input(field.text()),
    password: field.secret(),
    weight: { ...field.integer(0), default: 7 },
  },
  columns: ['name', 'colour', 'size', 'is_big'],
  filters: { colour: field.text(), status: field.text(), search: field.text() },
  removal: 'archive',
  hooks: {
    create: (operation, body) => {
      if (body.echo === 'refuse') throw new GatewayError('bad_request', 'No echo here.', { param: 'echo' });
      return {
        serial: `s-${operation.now}`,
        ...(body.echo === undefined ? {} : { name: `${body.name} ${body.echo}` }),
      };
    },
    created: async (operation, record) => {
      await operation.db('gadget_notes').insert({ id: operation.newId(), gadget_id: record.id, text: 'made' });
      if (record.name === 'fails late') throw new GatewayError('conflict', 'Too late.');
    },
  },
  actions: [
    {
      method: 'post',
      path: '/gadgets/:id/polish',
      summary: 'Polish a gadget',
      of: 'gadgets',
      needs: ['configs.update'],
      body: schema.Object({ times: schema.Integer({ minimum: 1, maximum: 3 }) }),
      reply: schema.Object({ polished: schema.Integer() }, { additionalProperties: false }),
      run: async (operation, record) => {
        await operation.records('gadgets').update(operation.scope, record?.id ?? '', { colour: 'green' });
        operation.audit({ times: Number(operation.body.times), api_key: 'never shown' });
        return { polished: Number(operation.body.times) };
      },
    },
    {
      method: 'get',
      path: '/gadgets/foreign-table',
      summary: 'Look into the table of another plugin',
      needs: ['configs.read'],
      hidden: true,
      run: async (operation) => ({ rows: await operation.db('organisations').select() }),
    },
    {
      method: 'get',
      path: '/gadgets/:id/password',
      summary: 'Whether the secret can be read back by its own plugin',
      of: 'gadgets',
      needs: ['configs.read'],
      hidden: true,
      run: async (operation, record) =>
        record === undefined ? {} : { ...(await operation.records('gadgets').secrets(record)) },
    },
    {
      method: 'get',
      path: '/public-gadget',
      summary: 'Anyone may see this',
      needs: 'public',
      reply: schema.Object({ organisation: schema.String() }),
      run: (operation) => ({ organisation: operation.scope.organisationId }),
    },
    {
      method: 'get',
      path: '/self-gadget',
      summary: 'Only a person may see this',
      needs: 'session',
      reply: schema.Object({ user: schema.String() }),
      run: (operation) => ({ user: operation.access.userId ?? '' }),
    },
  ],
};

const seen: string[] = [];

export default plugin({
  config: schema.Object({}),
  setup: () => ({}),
  migrations: [
    {
      name: '001_gadgets',
      up: async (db) => {
        await db.schema.createTable('gadgets', (table) => {
          baseColumns(table);
          table.string('name', 255).notNullable();
          table.string('colour', 16);
          table.integer('size');
          table.integer('is_big');
          table.unique(['organisation_id', 'slug']);
        });
        await db.schema.createTable('gadget_notes', (table) => {
          table.string('id', 36).primary();
          table.string('gadget_id', 36).notNullable();
          table.string('text', 255).notNullable();
        });
      },
    },
  ],
  control: (host) => ({
    resources: [gadgets],
    reactions: {
      'gadgets.created': async (_, record) => {
        seen.push(`created ${record.name}`);
      },
      'gadgets.removing': async (_, record) => {
        if (record.name === 'stays') throw new GatewayError('conflict', 'It is needed.');
      },
    },
    jobs: [
      {
        name: 'test-records.tidy',
        schedule: '0 0 1 1 *',
        run: () =>
          host.transaction({ organisationId: 'none' }, async (operation) => {
            await operation.db('gadget_notes').insert({ id: operation.newId(), gadget_id: 'job', text: 'tidied' });
          }),
      },
    ],
    actions: [
      {
        method: 'get',
        path: '/seen-gadgets',
        summary: 'What the reaction saw',
        needs: 'public',
        hidden: true,
        run: () => ({ seen: [...seen] }),
      },
    ],
  }),
});
