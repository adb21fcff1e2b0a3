import { compact, type JsonObject } from 'portcullis/sdk';
import type { Config } from './config.ts';

/** Tavily refuses longer ones. */
const maxQuery = 400;

/** What Tavily is asked; it refuses options that do not go with the depth or the topic. */
export function searchRequest(question: string, config: Config): JsonObject {
  const { autoParameters, includeImages } = config;
  const depth = config.searchDepth ?? (autoParameters ? undefined : 'basic');
  const topic = config.topic ?? (autoParameters ? undefined : 'general');
  const chunked = depth === 'advanced' || depth === 'fast';
  const filtered = depth === 'advanced' || depth === 'basic';
  return compact({
    query: [...question].slice(0, maxQuery).join(''),
    max_results: config.maxResults,
    search_depth: depth,
    chunks_per_source: chunked ? config.chunksPerSource : undefined,
    topic,
    time_range: config.timeRange,
    start_date: config.startDate,
    end_date: config.endDate,
    include_answer: wanted(config.includeAnswer),
    include_raw_content: wanted(config.includeRawContent),
    include_images: wanted(includeImages),
    include_image_descriptions: includeImages ? wanted(config.includeImageDescriptions) : undefined,
    include_favicon: wanted(config.includeFavicon),
    include_domains: listed(config.includeDomains),
    exclude_domains: listed(config.excludeDomains),
    country: topic === 'general' ? config.country : undefined,
    auto_parameters: wanted(autoParameters),
    exact_match: wanted(config.exactMatch),
    include_usage: wanted(config.includeUsage),
    safe_search: filtered ? wanted(config.safeSearch) : undefined,
  });
}

function wanted<T extends boolean | string>(value: T): T | undefined {
  return value === false ? undefined : value;
}

function listed(domains: readonly string[] | undefined): readonly string[] | undefined {
  return domains === undefined || domains.length === 0 ? undefined : domains;
}
