import { field, type Static, schema } from 'portcullis/sdk';

const flag = (description: string) => schema.Boolean({ default: false, description });
const day = (description: string) =>
  schema.Optional(
    schema.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', accepts: 'a date as YYYY-MM-DD', description }),
  );
const domains = (most: number, description: string) =>
  schema.Optional(schema.Array(schema.String({ minLength: 1, maxLength: 253 }), { maxItems: most, description }));
const flagOr = (...modes: readonly string[]) =>
  schema.Union([schema.Boolean(), field.oneOf(modes)], { default: false });

/** As Tavily's search takes them, in camel case. */
export const config = schema.Object(
  {
    prefix: schema.String({ maxLength: 4000, default: '\n<web_search_context>' }),
    suffix: schema.String({ maxLength: 4000, default: '\n</web_search_context>' }),
    maxResults: schema.Integer({ minimum: 1, maximum: 20, default: 5 }),
    searchDepth: schema.Optional(field.oneOf(['advanced', 'basic', 'fast', 'ultra-fast'])),
    chunksPerSource: schema.Integer({
      minimum: 1,
      maximum: 3,
      default: 3,
      description: 'Counts where searchDepth is advanced or fast.',
    }),
    topic: schema.Optional(field.oneOf(['general', 'news', 'finance'])),
    timeRange: schema.Optional(field.oneOf(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y'])),
    startDate: day('Nothing older, YYYY-MM-DD.'),
    endDate: day('Nothing newer, YYYY-MM-DD.'),
    includeAnswer: flagOr('basic', 'advanced'),
    includeRawContent: flagOr('markdown', 'text'),
    includeImages: flag('Adds the addresses of images.'),
    includeImageDescriptions: flag('Counts where includeImages is true.'),
    includeFavicon: flag('Shows the icons of the sources in the data of the verdict.'),
    includeDomains: domains(300, 'Only results from these.'),
    excludeDomains: domains(150, 'No results from these.'),
    country: schema.Optional(
      schema.String({ minLength: 1, maxLength: 60, description: 'Counts where the topic is general.' }),
    ),
    autoParameters: flag('Lets Tavily choose the topic and the depth where they are not set.'),
    exactMatch: flag('Only results with the quoted phrases of the question.'),
    includeUsage: flag('Shows the credits that the search took in the data of the verdict.'),
    safeSearch: flag('Counts where searchDepth is basic or advanced.'),
  },
  { additionalProperties: false },
);

export type Config = Static<typeof config>;
