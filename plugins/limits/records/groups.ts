import {
  type Action,
  asString,
  budgetAmount,
  budgetPeriod,
  budgetUnits,
  type ControlHost,
  field,
  GatewayError,
  type JsonObject,
  type Operation,
  pageFields,
  pageOf,
  refusedName,
  schema,
} from 'portcullis/sdk';
import { alertsSent } from '../alerts/sent.ts';
import { isSpent } from '../limit/is-spent.ts';
import { budgetOf, prefixOf } from './budget.ts';
import { resetGroup } from './group-reset.ts';
import type { UsagePolicyRecord } from './tables.ts';

/** Groups that one look goes through at most, where it must find them by their text or status. */
const mostLookedAt = 20_000;
const pageOfCounts = 1000;
const mostInMap = 1000;

/** One group of a policy: a value key and what has been used under it. */
interface Group {
  readonly valueKey: string;
  /** US dollars, tokens or requests of the running period. */
  readonly used: number;
  readonly status: 'active' | 'exhausted';
}

type Host = Pick<ControlHost, 'counters' | 'transaction' | 'now'>;

/** A page of the groups that have used anything in the running period, and how many there are. */
async function groupsOf(
  host: Host,
  policy: UsagePolicyRecord,
  now: number,
  limit: number,
  offset: number,
): Promise<{ readonly total: number; readonly groups: readonly Group[] }> {
  const { organisation_id: organisationId, type } = policy;
  const { start } = budgetPeriod(budgetOf(policy), now);
  const prefix = prefixOf(policy);
  const most = budgetUnits(type, policy.credit_limit);
  const { total, counts } = await host.counters.list(organisationId, prefix, start, limit, offset);
  const marks = await host.counters.read(
    organisationId,
    counts.map(({ name }) => ({ name: refusedName(name, most), start, durable: true })),
  );
  return {
    total,
    groups: counts.map(({ name, used }, index) => ({
      valueKey: name.slice(prefix.length),
      used: budgetAmount(type, used),
      status: isExhausted(most, used, marks[index]?.used ?? 0) ? 'exhausted' : 'active',
    })),
  };
}

/** A mark outlives a group that was set back while there was another limit. */
function isExhausted(most: number, used: number, mark: number): boolean {
  return used >= most || (mark > 0 && isSpent({ most }, { used }));
}

/** `value_key_usage_map` of a policy: its groups of the running period, those that changed last, at most 1,000. */
export async function usageMap(host: Host, operation: Operation, policy: UsagePolicyRecord): Promise<JsonObject> {
  const { groups } = await groupsOf(host, policy, operation.now, mostInMap, 0);
  const { start } = budgetPeriod(budgetOf(policy), operation.now);
  const sent = await alertsSent(operation.db, policy.organisation_id, `policy/${policy.id}`, start);
  return Object.fromEntries(
    groups.map(({ valueKey, used, status }) => [
      valueKey,
      {
        current_usage: used,
        status,
        is_threshold_alerts_sent: sent.has(`threshold/${valueKey}`),
        is_exhausted_alerts_sent: sent.has(`exhausted/${valueKey}`),
      },
    ]),
  );
}

const path = '/policies/usage-limits/:id/entities';

/** The groups of a policy, which the API calls its entities. */
export function groupActions(host: Host): readonly Action[] {
  return [
    {
      method: 'get',
      path,
      summary: 'List what a usage limits policy has counted, by value key',
      of: 'usage_limit_policies',
      needs: ['policies.read'],
      query: schema.Object({
        status: schema.Optional(field.oneOf(['active', 'exhausted'])),
        search: schema.Optional(field.text({ min: 1, description: 'A part of the value key.' })),
        ...pageFields({ most: 100 }),
      }),
      reply: schema.Object({
        object: schema.Literal('list'),
        total: schema.Integer(),
        data: schema.Array(
          schema.Object({
            id: schema.String(),
            value_key: schema.String(),
            current_usage: schema.Number(),
            status: field.oneOf(['active', 'exhausted']),
            object: schema.String(),
          }),
        ),
      }),
      run: async (operation, record) => listed(host, operation, record as UsagePolicyRecord),
    },
    {
      method: 'put',
      path: `${path}/:entity/reset`,
      summary: 'Set what a value key of a usage limits policy has used back to 0',
      of: 'usage_limit_policies',
      needs: ['policies.update'],
      reply: schema.Object({}),
      // Counts are no part of the database's transactions.
      transaction: false,
      run: async (operation, record) => {
        const valueKey = valueKeyOf(operation.params.entity ?? '');
        const known = valueKey !== undefined && (await resetGroup(host, record as UsagePolicyRecord, valueKey));
        if (!known)
          throw new GatewayError('not_found', 'The policy has counted nothing under this value key.', {
            param: 'entity',
          });
        operation.audit({ reset_usage_for_value: valueKey });
        return {};
      },
    },
  ];
}

async function listed(host: Host, operation: Operation, policy: UsagePolicyRecord): Promise<JsonObject> {
  const { page, pageSize } = pageOf(operation);
  const offset = page * pageSize;
  const { now } = operation;
  const { search, status } = operation.query;
  if (search === undefined && status === undefined) {
    const { total, groups } = await groupsOf(host, policy, now, pageSize, offset);
    return { object: 'list', total, data: groups.map(shownGroup) };
  }
  const found: Group[] = [];
  for (let from = 0; from < mostLookedAt; from += pageOfCounts) {
    const { total, groups } = await groupsOf(host, policy, now, pageOfCounts, from);
    for (const group of groups) {
      const fits =
        (search === undefined || group.valueKey.includes(search)) && (status ?? group.status) === group.status;
      if (fits) found.push(group);
    }
    if (from + groups.length >= total || groups.length === 0) break;
  }
  return { object: 'list', total: found.length, data: found.slice(offset, offset + pageSize).map(shownGroup) };
}

/** Names of people and models stand in value keys, so the id is what a path can hold. */
function shownGroup({ valueKey, used, status }: Group): JsonObject {
  return {
    id: Buffer.from(valueKey).toString('base64url'),
    value_key: valueKey,
    current_usage: used,
    status,
    object: 'policy_usage_limits_entity',
  };
}

function valueKeyOf(id: string): string | undefined {
  const text = Buffer.from(id, 'base64url').toString();
  // What does not come out as it went in was no id of ours; people may give the value key itself.
  if (Buffer.from(text).toString('base64url') === id) return asString(text);
  return id.includes(':') ? id : undefined;
}
