import { type Action, type Needs, pageFields, type Resource, type Standard } from 'portcullis/sdk';
import type { TSchema } from 'typebox';
import { createFields, type InputReader, inputReader, updateFields } from './input.ts';
import { baseFields, type FieldSchema, type ResourceModel } from './model.ts';
import { possibleNeeds } from './permission.ts';
import { type QueryReader, queryReader } from './query.ts';
import { replySchema } from './reply-schemas.ts';

export type Method = Action['method'];

/** One row of the route table: what the router, the permission walk and the documents are made from. */
export interface Endpoint {
  readonly plugin: string;
  /** `configs.list`, or method and path of an action. */
  readonly name: string;
  readonly method: Method;
  /** The path that the documents show. */
  readonly path: string;
  /** All paths that it is served at. */
  readonly paths: readonly string[];
  readonly summary: string;
  readonly tag: string;
  /** Any of these, or who else may call. */
  readonly needs: Needs | 'public' | 'session' | 'service';
  readonly model: ResourceModel | undefined;
  readonly standard: Standard | undefined;
  readonly action: Action | undefined;
  readonly body: InputReader | undefined;
  readonly query: QueryReader | undefined;
  readonly reply: TSchema | undefined;
  readonly status: number;
  readonly audited: boolean;
  readonly hidden: boolean;
}

const mounts = ['/v1', '/v2'];
const everyOperation: readonly Standard[] = ['list', 'get', 'create', 'update', 'remove'];
const methods: Readonly<Record<Standard, Method>> = {
  list: 'get',
  get: 'get',
  create: 'post',
  update: 'put',
  remove: 'delete',
};
const summaries: Readonly<Record<Standard, string>> = {
  list: 'List',
  get: 'Get one of',
  create: 'Create one of',
  update: 'Update one of',
  remove: 'Remove one of',
};

/** The standard routes of a resource, and its actions. */
export function endpointsOf(plugin: string, model: ResourceModel, models: ReadonlyMap<string, ResourceModel>) {
  const { resource } = model;
  const standard = (resource.operations ?? everyOperation).map((operation): Endpoint => {
    const item = operation === 'list' || operation === 'create' ? '' : '/:id';
    const paths = pathsOf([resource.path, ...(resource.aliases ?? [])], resource.admin === true, false).map(
      (path) => path + item,
    );
    return {
      plugin,
      name: `${resource.name}.${operation}`,
      method: methods[operation],
      path: paths[0] ?? '',
      paths,
      summary: `${summaries[operation]} ${resource.title}`,
      tag: resource.title,
      needs: possibleNeeds(resource.permission, operation),
      model,
      standard: operation,
      action: undefined,
      body: bodyOf(model, operation),
      query: operation === 'list' ? queryReader(listQuery(resource), model) : undefined,
      reply: replySchema(model, operation),
      status: 200,
      audited: operation !== 'list' && operation !== 'get',
      hidden: false,
    };
  });
  return [
    ...standard,
    ...(resource.actions ?? []).map((action) => endpointOf(plugin, action, resource.title, models, model)),
  ];
}

export function endpointOf(
  plugin: string,
  action: Action,
  tag: string,
  models: ReadonlyMap<string, ResourceModel>,
  owner?: ResourceModel,
): Endpoint {
  const paths = pathsOf([action.path, ...(action.aliases ?? [])], action.admin === true, action.root === true);
  const model = action.of === undefined ? undefined : models.get(action.of);
  return {
    plugin,
    name: `${action.method} ${action.path}`,
    method: action.method,
    path: paths[0] ?? '',
    paths,
    summary: action.summary,
    tag,
    needs: action.needs,
    model,
    standard: undefined,
    action,
    body: action.body === undefined ? undefined : actionBody(action.body, model),
    query: action.query === undefined ? undefined : queryReader(propertiesOf(action.query), owner),
    reply: action.reply,
    status: action.status ?? 200,
    audited: action.audited ?? action.method !== 'get',
    hidden: action.hidden === true,
  };
}

/** Static segments beat parameters, so that `/prompts/partials` is no prompt. */
export function bySpecificity(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')];
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [one, other] = [left[index] ?? '', right[index] ?? ''];
    if (isOpen(one) !== isOpen(other)) return isOpen(one) ? 1 : -1;
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** A parameter, of one segment or of all the rest. */
function isOpen(segment: string): boolean {
  return segment.startsWith(':') || segment.startsWith('*');
}

function pathsOf(paths: readonly string[], admin: boolean, root: boolean): readonly string[] {
  if (root) return paths;
  const served = admin ? paths.flatMap((path) => [path, `/admin${path}`]) : paths;
  return mounts.flatMap((mount) => served.map((path) => mount + path));
}

function actionBody(body: NonNullable<Action['body']>, model: ResourceModel | undefined): InputReader {
  const { additionalProperties: others } = body as { additionalProperties?: boolean };
  const told = others === false ? everyRecord : [];
  return inputReader(propertiesOf(body), { fill: true, others, harmless: model === undefined ? told : namesOf(model) });
}

/** What replies tell of every record. */
const everyRecord = [...baseFields, 'object'];

/** All that replies may tell of a record: clients send it back. */
function namesOf({ fields, resource }: ResourceModel): readonly string[] {
  return [...everyRecord, ...Object.keys(fields), ...Object.keys(resource.shown ?? {})];
}

function bodyOf(model: ResourceModel, operation: Standard): InputReader | undefined {
  const harmless = namesOf(model);
  if (operation === 'create') return inputReader(createFields(model), { fill: true, harmless });
  return operation === 'update' ? inputReader(updateFields(model), { fill: false, harmless }) : undefined;
}

/** Marks of `x-required` come from the object's own list. */
function propertiesOf(schema: { properties: object; required?: readonly string[] }) {
  return Object.fromEntries(
    Object.entries(schema.properties as Readonly<Record<string, FieldSchema>>).map(([name, field]) => [
      name,
      schema.required?.includes(name) === true ? { ...field, 'x-required': true as const } : field,
    ]),
  );
}

export interface PagingNames {
  readonly page: string;
  readonly size: string;
  readonly standard: number;
  readonly most: number;
}

export function pagingOf({ paging }: Resource): PagingNames {
  return {
    page: paging?.page ?? 'current_page',
    size: paging?.size ?? 'page_size',
    standard: paging?.standard ?? 100,
    most: paging?.most ?? 1000,
  };
}

/** Clients that page through all lists alike are understood by those with names of their own, too. */
function listQuery(resource: Resource): Readonly<Record<string, FieldSchema>> {
  const { page, size, standard, most } = pagingOf(resource);
  const { current_page, page_size } = pageFields({ standard, most });
  const { default: _first, ...pages } = current_page;
  const { default: _standard, ...sizes } = page_size;
  return {
    ...(resource.filters as Readonly<Record<string, FieldSchema>> | undefined),
    current_page: pages,
    page_size: sizes,
    [page]: current_page,
    [size]: page_size,
  };
}
