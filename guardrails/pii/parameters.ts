import { schema } from 'portcullis/sdk';
import { type Category, categories } from './categories.ts';

/** The parameters that both checks have. */
export const searchParameters = {
  categories: schema.Array(schema.Enum([...categories]), {
    default: [...categories],
    minItems: 1,
    uniqueItems: true,
    description: 'What is looked for; default: everything.',
  }),
  replacement: schema.String({
    default: '[{category}]',
    maxLength: 200,
    description:
      'What takes the place of a value: {category} is its name, {mask} is **** and, of 12 characters and more, the last four, {hash} is the beginning of its SHA-256, which tells equal values and hides none that can be guessed.',
  }),
  allow: schema.Array(schema.String({ minLength: 1, maxLength: 1024 }), {
    default: [],
    maxItems: 1000,
    uniqueItems: true,
    description: 'Exact values that are no finding, such as the address of your own support.',
  }),
};

export interface Search {
  readonly wanted: ReadonlySet<Category>;
  readonly allow: ReadonlySet<string>;
}

export function searchOf(given: { categories: readonly Category[]; allow: readonly string[] }): Search {
  return { wanted: new Set(given.categories), allow: new Set(given.allow) };
}
