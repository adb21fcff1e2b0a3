import type { TObject, TProperties, TSchema } from 'typebox';
import type { Json, JsonObject } from '../json.ts';
import type { Operation, StoredRecord, Values } from './control.ts';
import type { MaybePromise } from './plugin.ts';

/** What a call needs: one of these permissions, where it acts. */
export type Needs = readonly string[];

/**
 * The family of permissions (`configs` for `configs.list`, `.read`, `.create`, `.update`, `.delete`), or several with
 * the rule that says which one holds: `integrations` of the organisation and of a workspace are two.
 */
export type Permission =
  | string
  | {
      readonly families: readonly string[];
      /** @param where.workspaceId of the record, or of where it is to be made */
      of(where: {
        readonly workspaceId: string | undefined;
        readonly record?: StoredRecord;
        readonly body?: JsonObject;
      }): string;
      /** The workspace that the permission must hold in, where it is not the record's `workspace_id`: a workspace is its own place. */
      place?(record: StoredRecord): string | undefined;
    };

export interface SlugRule {
  /** `pc` gives `pc-name-6hex`; '' gives `name-6hex`. */
  readonly prefix: string;
  /** Characters of the name that are kept. Default 6. */
  readonly length?: number;
  /** Whether the body may give it (`slug`). Default false. */
  readonly given?: boolean;
  /** Where no two are alike. Default: organisation. */
  readonly uniqueIn?: 'organisation' | 'workspace';
}

export type Standard = 'list' | 'get' | 'create' | 'update' | 'remove';

/** The hooks and rules of a resource. All run inside the operation's transaction. */
export interface ResourceHooks<R extends StoredRecord = StoredRecord> {
  /** Rules across fields, defaults, resolved references: gives what is stored. Fields marked `input` are in the body only. */
  create?(operation: Operation, body: JsonObject): MaybePromise<Values>;
  created?(operation: Operation, record: R): MaybePromise<void>;
  /** Gives what changes; `{}` changes nothing. */
  update?(operation: Operation, record: R, body: JsonObject): MaybePromise<Values>;
  updated?(operation: Operation, before: R, after: R): MaybePromise<void>;
  /** May throw to refuse. */
  remove?(operation: Operation, record: R): MaybePromise<void>;
  /** More conditions of a list, from the caller's rights and the query. */
  list?(operation: Operation): MaybePromise<Values>;
  /** Whether this caller may see this record at all. Default: yes, within its tenancy. */
  visible?(operation: Operation, record: R): MaybePromise<boolean>;
  /** The wire form, on top of the derived one: members given here replace, undefined ones are left out. */
  show?(operation: Operation, record: R, how: { readonly detail: boolean }): MaybePromise<Shown>;
}

/** Members that are undefined are left out. */
export type Shown = { readonly [member: string]: Json | undefined };

/** A kind of record: routes, validation, permission, audit and documents derive from this. */
export interface Resource {
  /** Plural, snake case: the table, the name for `records()` and in the audit log. */
  readonly name: string;
  /** `object` in replies. */
  readonly object: string;
  /** What messages call one record. Default: `object`, with spaces. */
  readonly noun?: string;
  readonly title: string;
  /** Below `/v1` and `/v2`: `/configs`, or `/workspaces/:workspace/users` with a `parent`. */
  readonly path: string;
  /** More paths for the same routes. Paths in `adminPaths` stand under `/admin` as well. */
  readonly aliases?: readonly string[];
  /** Whether the paths are also served below `/admin`. */
  readonly admin?: boolean;
  /**
   * `workspace`: each record belongs to one, which organisation-wide callers name as `workspace_id`;
   * `either`: to a workspace or to the organisation; `organisation`: to no workspace.
   */
  readonly owner: 'organisation' | 'workspace' | 'either';
  readonly permission: Permission;
  readonly slug?: SlugRule;
  /** By wire name. Base fields (id, slug, organisation_id, workspace_id, status, created_at, last_updated_at) are not listed. */
  readonly fields: TProperties;
  /** Fields that are real columns of the table, under their own names; the rest is one JSON column. */
  readonly columns?: readonly string[];
  /** Fields that `search` looks into. Default: name. */
  readonly search?: readonly string[];
  /** Query parameters of the list beside paging: a schema each; those named like a column filter by it. */
  readonly filters?: TProperties;
  /** Query names beside `current_page` and `page_size`. */
  readonly paging?: {
    readonly page?: string;
    readonly size?: string;
    /** Default 100. */
    readonly standard?: number;
    /** Default 1000. */
    readonly most?: number;
  };
  /** Default: all five. */
  readonly operations?: readonly Standard[];
  /** Default: removed rows are gone. `archive`: the status becomes `archived`, and such records are shown only where the status is asked for. */
  readonly removal?: 'delete' | 'archive';
  /** When its workspace is removed: `block` (default) refuses without force and goes with it otherwise; `follow` always goes with it. */
  readonly onWorkspaceRemoval?: 'block' | 'follow';
  readonly hooks?: ResourceHooks;
  /** Replies that differ: default `{id, slug, object}` for create, `{}` for update and remove, `{object, total, data}` for list, the record for get. */
  readonly replies?: {
    readonly list?: ReplyRule<{ readonly total: number; readonly items: readonly JsonObject[] }>;
    readonly get?: ReplyRule<{ readonly record: StoredRecord; readonly shown: JsonObject }>;
    readonly create?: ReplyRule<{ readonly record: StoredRecord; readonly shown: JsonObject }>;
    readonly update?: ReplyRule<{ readonly record: StoredRecord; readonly shown: JsonObject }>;
    readonly remove?: ReplyRule<{ readonly record: StoredRecord }>;
  };
  /** Fields that `show` adds or changes, for the documents. */
  readonly shown?: TProperties;
  readonly actions?: readonly Action[];
}

export interface ReplyRule<F> {
  readonly schema: TSchema;
  of(facts: F, operation: Operation): MaybePromise<JsonObject>;
}

/** A route that the standard ones do not cover. */
export interface Action {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** From the mount: `/api-keys/:id/rotate`. Static segments beat parameters. */
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly admin?: boolean;
  readonly summary: string;
  /** Any of these permissions; `public`: no credential; `session`: a session or token of a person; `service`: the gateway's own data planes. */
  readonly needs: Needs | 'public' | 'session' | 'service';
  /** Where the permission must hold. Default: in the caller's workspace, or the organisation itself. */
  readonly in?: 'organisation' | 'workspace' | 'either';
  /** The resource whose record `:id` names: it is loaded within the tenancy, and its workspace is where the permission must hold. */
  readonly of?: string;
  /** Served at the root of the origin, not below `/v1`. */
  readonly root?: true;
  /** Members that it does not name are dropped; kept where it says `additionalProperties: true`, refused where it says false. */
  readonly body?: TObject;
  /** A body that is an array is given as this member; absent: it is refused. */
  readonly list?: string;
  /** Whether owners, admins and keys of the organisation may name an archived workspace. Default false. */
  readonly archived?: boolean;
  readonly query?: TObject;
  /** Schema of the reply's body; undefined: not JSON, or none. */
  readonly reply?: TSchema;
  /** Success status. Default 200. */
  readonly status?: number;
  /** Default: every method but GET. */
  readonly audited?: boolean;
  /**
   * False: for what calls out or takes long. The caller is authorised, and the record loaded, before `run`; its reads are
   * no transaction, and what it writes it writes through `host.transaction`. The audit entry is written afterwards.
   */
  readonly transaction?: false;
  /** Not in the OpenAPI document. */
  readonly hidden?: boolean;
  run(operation: Operation, record: StoredRecord | undefined): MaybePromise<ActionReply>;
}

/** A JSON body, or a whole reply. */
export type ActionReply = JsonObject | RawReply | undefined;

export class RawReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** A stream is sent as it comes, and closed when the client leaves. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;

  constructor(status: number, headers: RawReply['headers'], body?: RawReply['body']) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}
