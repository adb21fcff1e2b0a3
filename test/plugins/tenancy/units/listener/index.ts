import { plugin, type Reaction, schema } from 'portcullis/sdk';

const events = [
  'organisations.created',
  'workspaces.created',
  'users.created',
  'users.updated',
  'users.removed',
  'users.password',
  'workspace_members.created',
  'workspace_members.removed',
  'invites.accepted',
];

export default plugin({
  config: schema.Object({}),
  setup: () => ({}),
  control: (host) => ({
    reactions: Object.fromEntries(
      events.map((event): [string, Reaction] => [
        event,
        async (operation, { id }, detail) => {
          const told = event === 'users.updated' ? {} : detail;
          host.log.info('heard', { name: event, id, scope: operation.scope.organisationId, detail: told });
          if (event === 'users.password' && detail.password === 'refused') throw new Error('refused');
        },
      ]),
    ),
  }),
});
