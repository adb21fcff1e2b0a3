import type { JsonObject } from 'portcullis/sdk';
import type { Endpoint } from './endpoints.ts';
import { ownerOf } from './tenancy.ts';

interface OpenApiOptions {
  readonly version: string;
  readonly publicUrl: string;
  readonly vendor: string;
}

type Node = Readonly<Record<string, unknown>>;

/** The OpenAPI 3.1 document of the route table. Aliases of a route are served and not repeated. */
export function openApiDocument(endpoints: readonly Endpoint[], options: OpenApiOptions): JsonObject {
  const paths: Record<string, Record<string, Node>> = {};
  const tags = new Set<string>();
  for (const endpoint of endpoints) {
    if (endpoint.hidden) continue;
    tags.add(endpoint.tag);
    const path = endpoint.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method]: operationOf(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portcullis control plane',
      version: options.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.publicUrl }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'apiKey', in: 'header', name: `x-${options.vendor}-api-key` },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: errorSchema },
    },
  } as unknown as JsonObject;
}

const text = { type: 'string' };
const errorSchema = {
  type: 'object',
  properties: {
    success: { const: false },
    data: { type: 'object', properties: { message: text, errorCode: text }, required: ['message', 'errorCode'] },
    error: {
      type: 'object',
      properties: { message: text, code: text, type: text, param: { type: ['string', 'null'] } },
      required: ['message', 'code', 'type', 'param'],
    },
    message: text,
  },
  required: ['success', 'data', 'error', 'message'],
};

function operationOf(endpoint: Endpoint): Node {
  const { body, query, reply, needs, summary, tag, status } = endpoint;
  const open = needs === 'public';
  return {
    operationId: operationIdOf(endpoint),
    summary,
    tags: [tag],
    description: permissionText(endpoint),
    security: open ? [] : [{ key: [] }, { bearer: [] }],
    parameters: [...pathParameters(endpoint.path), ...queryParameters(query?.schema), ...placeParameter(endpoint)],
    ...(body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: clean(body.schema) } }, required: false } }),
    responses: {
      [String(status)]: {
        description: 'The answer.',
        ...(reply === undefined ? {} : { content: { 'application/json': { schema: clean(reply) } } }),
      },
      default: {
        description: 'An error.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

function operationIdOf({ name }: Endpoint): string {
  return name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '');
}

function permissionText({ needs }: Endpoint): string {
  if (needs === 'public') return 'Needs no credential.';
  if (needs === 'session') return 'Needs a session or a token of a person.';
  if (needs === 'service') return 'For the data planes of this deployment alone.';
  return `Needs ${needs.join(' or ')}.`;
}

function pathParameters(path: string): readonly Node[] {
  return [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(schema: object | undefined): readonly Node[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Readonly<Record<string, object>>;
    required?: readonly string[];
  };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: clean(field),
  }));
}

/** Routes read the workspace that they are about by themselves, so that few schemas name it. */
function placeParameter(endpoint: Endpoint): readonly Node[] {
  const { needs, path, query } = endpoint;
  const named = (query?.schema as { properties?: object } | undefined)?.properties ?? {};
  const told = path.split('/').includes(':workspace') || 'workspace_id' in named || 'workspace_slug' in named;
  if (told || !Array.isArray(needs) || ownerOf(endpoint) === 'organisation') return [];
  const description = 'The workspace that the call is about: its id or slug.';
  return [{ name: 'workspace_id', in: 'query', required: false, description, schema: text }];
}

/** Only the keywords of JSON Schema: ours say how fields are stored. */
function clean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(clean);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !name.startsWith('x-') && !name.startsWith('~') && name !== 'accepts')
      .map(([name, value]) => [name, clean(value)]),
  );
}
