import { plugin, schema } from 'portcullis/sdk';
import { collectionFor } from '../../../../../../plugins/prompts/collections/find.ts';

export default plugin({
  config: schema.Object({}),
  setup: () => ({}),
  control: () => ({
    actions: [
      {
        method: 'post',
        path: '/test-collections',
        summary: 'Finds the collection that something is put into',
        needs: ['prompts.create'],
        in: 'workspace',
        hidden: true,
        body: schema.Object({ collection_id: schema.Optional(schema.String()) }),
        run: async (operation) => {
          const { collection_id: named } = operation.body;
          const found = await collectionFor(operation, operation.scope, named === undefined ? named : String(named));
          return { id: found.id, slug: found.slug, name: found.name };
        },
      },
    ],
  }),
});
